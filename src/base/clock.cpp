#include "regatta/base/clock.hpp"

namespace regatta {

std::int64_t steady_nanoseconds() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

double steady_seconds() { return static_cast<double>(steady_nanoseconds()) * 1e-9; }

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace regatta
