#include "regatta/base/log.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <string>

namespace regatta::log {
namespace {

/// Without what a terminal would obey: messages show names of files, and words of files and engines.
std::string harmless(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_c1 = byte >= 0x80 && byte < 0xA0 && shown.ends_with('\xC2');
    if (is_c1) shown.pop_back();
    shown += (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F || is_c1 ? '?' : c;
  }
  return shown;
}

void line(std::string_view level, std::string_view text) {
  const std::string whole = fmt::format("regatta: {}{}\n", level, harmless(text));
  // Nothing sensible can be done when stderr itself fails.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, whole.data(), whole.size());
}

}  // namespace

void info(std::string_view text) { line("", text); }
void warn(std::string_view text) { line("warning: ", text); }
void error(std::string_view text) { line("error: ", text); }

}  // namespace regatta::log
