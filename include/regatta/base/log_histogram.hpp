// How often which values were seen, in a fixed place: adding one costs no memory, and quantiles are right to a
// sixteenth.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace regatta {

/// For values from 1e-6 to 1e6, which are seconds or counts: sixteen steps for each doubling, so that whole numbers
/// below 32 keep steps of their own. Smaller values count as 0.
class LogHistogram {
 public:
  void add(double value) {
    ++counts_[place_of(value)];
    ++count_;
    most_ = std::max(most_, value);
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double most() const { return most_; }

  /// The quantile: `share` of the values do not exceed it. Rounded down to its step; 0 if there are no values.
  [[nodiscard]] double quantile(double share) const {
    const double wanted = std::max(1.0, std::ceil(share * static_cast<double>(count_)));
    std::uint64_t seen = 0;
    for (std::size_t place = 0; place < counts_.size(); ++place) {
      seen += counts_[place];
      if (counts_[place] > 0 && static_cast<double>(seen) >= wanted) return begin_of(place);
    }
    return 0;
  }

 private:
  static constexpr int lowest = -20;  ///< exponent of 2
  static constexpr int doublings = 40;
  static constexpr int steps = 16;
  static constexpr double least = 1.0 / (1 << 20);
  static constexpr double largest = (1 << 20) - 1;

  static std::size_t place_of(double value) {
    if (!(value >= least)) return 0;
    int exponent = 0;
    const double part = std::frexp(std::min(value, largest), &exponent);  // in [0.5, 1)
    const int doubling = std::clamp(exponent - 1 - lowest, 0, doublings - 1);
    return static_cast<std::size_t>(doubling * steps + static_cast<int>((2 * part - 1) * steps)) + 1;
  }

  static double begin_of(std::size_t place) {
    if (place == 0) return 0;
    const int step = static_cast<int>(place) - 1;
    return std::ldexp(1 + static_cast<double>(step % steps) / steps, step / steps + lowest);
  }

  std::array<std::uint64_t, std::size_t{doublings} * steps + 1> counts_{};
  std::uint64_t count_ = 0;
  double most_ = 0;
};

}  // namespace regatta
