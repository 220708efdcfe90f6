#include "regatta/report/wrap.hpp"

#include <algorithm>

namespace regatta::report {

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

}  // namespace regatta::report
