// Weight and colour on a terminal. What they say stands in words as well.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace regatta::report {

namespace ansi {
inline constexpr std::string_view bold = "\x1b[1m";
inline constexpr std::string_view green = "\x1b[32m";
inline constexpr std::string_view red = "\x1b[31m";
inline constexpr std::string_view yellow = "\x1b[33m";
inline constexpr std::string_view reset = "\x1b[0m";
}  // namespace ansi

struct Style {
  bool colour;

  [[nodiscard]] std::string in(std::string_view code, std::string_view text) const {
    return colour && !code.empty() ? fmt::format("{}{}{}", code, text, ansi::reset) : std::string(text);
  }
  [[nodiscard]] std::string bold(std::string_view text) const { return in(ansi::bold, text); }
};

}  // namespace regatta::report
