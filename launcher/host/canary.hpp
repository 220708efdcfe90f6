// A fixed piece of work that tells when the core itself has become slower or faster.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace regatta::launcher {

/// Seconds of some 10 us of dependent multiplications on core `cpu`: the fastest of three, so that only the core's
/// clock is seen and not who else wants it. The calling thread goes there and comes back. Nothing if it must not run
/// there.
std::optional<double> canary_seconds(int cpu);

/// What a value usually is: the median of the last ones.
class Usual {
 public:
  /// The median before `value` is added; nothing until there are five.
  std::optional<double> update(double value);

 private:
  std::vector<double> last_;
  std::size_t next_ = 0;
};

}  // namespace regatta::launcher
