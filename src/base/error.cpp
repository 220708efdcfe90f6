#include "regatta/base/error.hpp"

#include <fmt/format.h>

#include <cstring>

namespace regatta {

void expect(bool holds, const char* what, const char* file, int line) {
  if (!holds)
    throw InternalError(fmt::format("{}:{}: {} (a mistake in Regatta itself); please report it", file, line, what));
}

std::string errno_text(const std::string& action, int error_number) {
  return fmt::format("{}: {}", action, std::strerror(error_number));
}

}  // namespace regatta
