#include "regatta/report/text.hpp"

#include <algorithm>
#include <cstdint>

namespace regatta::report {
namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  ///< 0: not valid UTF-8
};

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

/// The code point at the start of `text`, which is not empty.
CodePoint decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
  if (bytes == 0 || text.size() < bytes) return {};
  std::uint32_t value = lead & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) return {};
    value = value << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < smallest[bytes] || value > 0x10ffff || surrogate) return {};
  return {value, bytes};
}

bool is_printable(std::uint32_t value) {
  const bool control = value < 0x20 || (value >= 0x7f && value < 0xa0);
  const bool direction = (value >= 0x202a && value <= 0x202e) || (value >= 0x2066 && value <= 0x2069) ||
                         value == 0x200e || value == 0x200f || value == 0x61c;
  const bool line = value == 0x2028 || value == 0x2029 || value == 0xfffe || value == 0xffff;
  return !control && !direction && !line;
}

}  // namespace

std::string clean(std::string_view text, Lines lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const char first = text[0];
    const CodePoint point = decode(text);
    if (first == '\n' || first == '\t' || first == '\r') {
      if (lines == Lines::joined)
        out += ' ';
      else if (first != '\r')
        out += first;
    } else if (point.bytes == 0 || !is_printable(point.value)) {
      out += "\ufffd";
    } else {
      out += text.substr(0, point.bytes);
    }
    text.remove_prefix(point.bytes == 0 ? 1 : point.bytes);
  }
  return out;
}

std::string clip(std::string_view text, std::size_t columns) {
  if (width(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::size_t end = 0;
  for (std::size_t kept = 0; kept + 1 < columns; ++kept) {
    ++end;
    while (end < text.size() && is_continuation(text[end])) ++end;
  }
  return std::string(text.substr(0, end)) + "\u2026";
}

std::string escape(std::string_view text, Lines lines) {
  std::string out;
  for (const char c : clean(text, lines)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U;  // the first byte of a code point
  }));
}

std::vector<std::string> wrap(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  std::size_t used = 0;
  while (!text.empty()) {
    const auto blank = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, blank);
    text.remove_prefix(std::min(blank + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t length = width(word);
    if (!lines.empty() && used + 1 + length <= columns) {
      lines.back().append(" ").append(word);
      used += 1 + length;
    } else {
      lines.emplace_back(word);
      used = length;
    }
  }
  return lines;
}

void paragraph(std::string& out, const std::string& text, std::size_t columns, std::size_t indent) {
  constexpr std::size_t text_columns = 600;  // an engine's message can be a whole log
  const auto room = columns > indent + 20 ? columns - indent : 20;
  for (const auto& line : wrap(clip(clean(text), text_columns), room)) out += std::string(indent, ' ') + line + '\n';
}

}  // namespace regatta::report
