#include "regatta/base/log.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <string>

namespace regatta::log {
namespace {

void line(std::string_view level, std::string_view text) {
  const std::string whole = fmt::format("regatta: {}{}\n", level, text);
  // Nothing sensible can be done when stderr itself fails.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, whole.data(), whole.size());
}

}  // namespace

void info(std::string_view text) { line("", text); }
void warn(std::string_view text) { line("warning: ", text); }
void error(std::string_view text) { line("error: ", text); }

}  // namespace regatta::log
