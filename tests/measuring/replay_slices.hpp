// Draws the slices of one contrast, square after square.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "measuring/replay_contrast.hpp"
#include "measuring/replay_noise.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::measuring {

/// Decides the order of the arms of a contrast that is drawn from `seed`.
std::uint64_t drawn_order_seed(std::uint64_t seed);

class DrawnContrast {
 public:
  DrawnContrast(const Noise& noise, double effect, const Method& method, std::uint64_t seed);
  DrawnContrast(const DrawnContrast&) = delete;  // the stream refers to random_
  DrawnContrast& operator=(const DrawnContrast&) = delete;

  void take_square();

  [[nodiscard]] const stats::ContrastSlices& slices() const { return slices_; }
  [[nodiscard]] std::size_t squares() const { return squares_; }
  /// Log ratio of the totals of the last square.
  [[nodiscard]] double last_value() const;
  Random& random() { return random_; }

 private:
  void take_slice();

  const Method& method_;
  Random random_;
  NoiseStream stream_;
  double effect_;
  std::vector<std::uint32_t> turns_;  ///< arms in the order of time: 4 for each square
  std::array<double, 2> processes_ = {};
  stats::ContrastSlices slices_;
  std::uint64_t slice_ = 0;
  std::size_t squares_ = 0;
};

}  // namespace regatta::measuring
