#include "regatta/base/log.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <string>

#include "regatta/base/clean.hpp"

namespace regatta::log {
namespace {

/// As a terminal may show it: messages hold names of files, and words of files and engines. A line that one of these
/// begins is indented, so that it cannot be taken for a message.
std::string shown(std::string_view text) {
  constexpr std::string_view indent = "  ";
  std::string lines;
  for (const char c : clean(text, Lines::kept)) {
    if (lines.ends_with('\n') && c != ' ' && c != '\n') lines += indent;
    lines += c;
  }
  return lines;
}

void line(std::string_view level, std::string_view text) {
  const std::string whole = fmt::format("regatta: {}{}\n", level, shown(text));
  // Nothing sensible can be done when stderr itself fails.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, whole.data(), whole.size());
}

}  // namespace

void info(std::string_view text) { line("", text); }
void warn(std::string_view text) { line("warning: ", text); }
void error(std::string_view text) { line("error: ", text); }

}  // namespace regatta::log
