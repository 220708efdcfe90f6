#include "regatta/base/shell.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "regatta/base/clean.hpp"

namespace regatta {
namespace {

bool is_plain(char c) {
  constexpr std::string_view harmless = "_@%+=:,./-";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         harmless.find(c) != std::string_view::npos;
}

constexpr std::string_view escaped_begin = "$'";

/// Every byte that is not plain as an octal escape: no shell and no terminal can mistake it.
std::string escaped_word(std::string_view text) {
  std::string word(escaped_begin);
  for (const char c : text)
    word += is_plain(c) ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  return word + "'";
}

/// Takes a word of escaped_word() from the beginning of `command`. Nothing where it is none.
std::optional<std::string> take_escaped(std::string_view& command) {
  constexpr std::size_t octal_digits = 3;
  std::string text;
  command.remove_prefix(escaped_begin.size());
  while (!command.empty() && command.front() != '\'') {
    if (is_plain(command.front())) {
      text += command.front();
      command.remove_prefix(1);
      continue;
    }
    const std::string_view digits = command.substr(1).substr(0, octal_digits);
    const bool are_octal = digits.size() == octal_digits && digits.front() <= '3' &&
                           digits.find_first_not_of("01234567") == std::string_view::npos;
    if (command.front() != '\\' || !are_octal) return std::nullopt;
    unsigned value = 0;
    for (const char digit : digits) value = value * 8 + static_cast<unsigned>(digit - '0');
    text += static_cast<char>(value);
    command.remove_prefix(1 + octal_digits);
  }
  if (command.empty()) return std::nullopt;
  command.remove_prefix(1);
  return text;
}

}  // namespace

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  if (clean(text, Lines::kept) != text) return escaped_word(text);
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'')
      word += "'\\''";  // out of the quotes, the quote itself, in again
    else
      word += c;
  }
  return word + "'";
}

std::string shell_path(const std::filesystem::path& path) {
  const std::string name = path.native().starts_with('-') ? "./" + path.native() : path.native();
  return clean(name) == name ? shell_word(name) : escaped_word(name);  // in one line
}

std::optional<std::vector<std::string>> shell_words(std::string_view command) {
  std::vector<std::string> words;
  bool in_word = false;
  while (!command.empty()) {
    if (command.starts_with(escaped_begin)) {
      const auto text = take_escaped(command);
      if (!text) return std::nullopt;
      if (!in_word) words.emplace_back();
      words.back() += *text;
      in_word = true;
      continue;
    }
    std::size_t taken = 1;
    std::string_view text = command.substr(0, 1);
    if (command.front() == '\'') {
      const std::size_t end = command.find('\'', 1);
      if (end == std::string_view::npos) return std::nullopt;
      text = command.substr(1, end - 1);
      taken = end + 1;
    } else if (command.starts_with("\\'")) {
      text = "'";
      taken = 2;
    } else if (command.front() != ' ' && !is_plain(command.front())) {
      return std::nullopt;
    }
    const bool is_blank = command.front() == ' ';
    if (!is_blank && !in_word) words.emplace_back();
    if (!is_blank) words.back() += text;
    in_word = !is_blank;
    command.remove_prefix(taken);
  }
  return words;
}

}  // namespace regatta
