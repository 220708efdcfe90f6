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

}  // namespace regatta
