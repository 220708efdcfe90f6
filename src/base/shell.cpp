#include "regatta/base/shell.hpp"

#include <algorithm>

namespace regatta {
namespace {

bool is_plain(char c) {
  constexpr std::string_view harmless = "_@%+=:,./-";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         harmless.find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'')
      word += "'\\''";  // out of the quotes, the quote itself, in again
    else
      word += c;
  }
  return word + "'";
}

std::optional<std::vector<std::string>> shell_words(std::string_view command) {
  std::vector<std::string> words;
  bool in_word = false;
  while (!command.empty()) {
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
