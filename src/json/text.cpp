#include "regatta/json/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace regatta::json {
namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

/// Bytes of the UTF-8 character at the head of `text`; 0 if it is broken.
std::size_t character_size(std::string_view text) {
  const auto head = static_cast<unsigned char>(text[0]);
  if (head < 0x80) return 1;
  const std::size_t size = head >= 0xf0 ? 4 : head >= 0xe0 ? 3 : 2;
  if (head < 0xc2 || head > 0xf4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if (!is_continuation(text[i])) return 0;
  }
  // Overlong forms, surrogates and what lies beyond U+10FFFF are told by the second byte.
  const auto second = static_cast<unsigned char>(text[1]);
  const bool broken = (head == 0xe0 && second < 0xa0) || (head == 0xed && second > 0x9f) ||
                      (head == 0xf0 && second < 0x90) || (head == 0xf4 && second > 0x8f);
  return broken ? 0 : size;
}

/// Quoted texts are part of what identifies a trial: their form stays. Texts that are only shown have the shorter one.
enum class Form : std::uint8_t { identity, shown };

/// 'n' for a line's end; 0 if there is no such letter.
char letter_of(char byte) {
  switch (byte) {
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

void append_escaped(std::string& out, std::string_view text, Form form) {
  const auto is_plain = [](char byte) {
    return static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7f && byte != '"' && byte != '\\';
  };
  if (std::ranges::all_of(text, is_plain)) {
    out += text;
    return;
  }
  for (const char byte : text) {
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += byte;
    } else if (form == Form::shown && letter_of(byte) != 0) {
      out += '\\';
      out += letter_of(byte);
    } else if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(byte));
    } else {
      out += byte;
    }
  }
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  append_escaped(out, text, Form::identity);
  out += '"';
}

std::string quote(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

std::string json_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string join_pointer(std::string_view pointer, std::string_view key) {
  std::string token;
  for (const char byte : shorten(key)) {
    if (byte == '~') {
      token += "~0";
    } else if (byte == '/') {
      token += "~1";
    } else {
      token += byte;
    }
  }
  std::string out(pointer);
  out += '/';
  append_escaped(out, token, Form::shown);
  return out;
}

std::string show(std::string_view text) {
  std::string out = "\"";
  append_escaped(out, shorten(text), Form::shown);
  return out + '"';
}

std::string shorten(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  std::size_t size = limit;
  while (size > 0 && is_continuation(text[size])) --size;
  return std::string(text.substr(0, size)) + "...";
}

bool is_number(std::string_view word) {
  std::size_t at = word.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t first = at;
    while (at < word.size() && is_digit(word[at])) ++at;
    return at - first;
  };
  const bool leads_with_zero = at < word.size() && word[at] == '0';
  const std::size_t whole = digits();
  if (whole == 0 || (leads_with_zero && whole > 1)) return false;
  if (at < word.size() && word[at] == '.') {
    ++at;
    if (digits() == 0) return false;
  }
  if (at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
    ++at;
    if (at < word.size() && (word[at] == '+' || word[at] == '-')) ++at;
    if (digits() == 0) return false;
  }
  return at == word.size();
}

std::string without_quotes(std::string_view text) {
  if (!is_number(text) && text != "true" && text != "false") return {};
  return fmt::format(" ({} without quotes)", text);
}

std::optional<std::size_t> find_strange_byte(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = text[at] == '\0' ? 0 : character_size(text.substr(at));
    if (size == 0) return at;
    at += size;
  }
  return std::nullopt;
}

}  // namespace regatta::json
