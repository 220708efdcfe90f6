// The taps, positions and sources of a 1-D convolution that meet inside its input.
#pragma once

#include <algorithm>

#include "regatta/engine/ops.hpp"

namespace regatta::engine::cpu {

/// [begin, end); empty ranges are equal.
struct Range {
  std::int64_t begin, end;
  [[nodiscard]] std::int64_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

inline Range bounded(std::int64_t begin, std::int64_t end, std::int64_t limit) {
  begin = std::clamp<std::int64_t>(begin, 0, limit);
  end = std::clamp<std::int64_t>(end, 0, limit);
  return begin < end ? Range{begin, end} : Range{0, 0};
}

/// ceil(a / b) for any a and positive b.
inline std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }

/// Taps whose input lies inside, at one position.
inline Range taps_inside(const Conv1dShape& s, std::int64_t position) {
  const std::int64_t start = position * s.stride - s.pad;
  return bounded(-start, s.length - start, s.taps);
}

/// Positions all of whose taps lie inside.
inline Range inner_positions(const Conv1dShape& s) {
  return bounded(ceil_divide(s.pad, s.stride), ceil_divide(s.length - s.taps + s.pad + 1, s.stride), s.positions);
}

/// Positions at which this tap lies inside.
inline Range positions_reading(const Conv1dShape& s, std::int64_t tap) {
  return bounded(ceil_divide(s.pad - tap, s.stride), ceil_divide(s.length + s.pad - tap, s.stride), s.positions);
}

/// Number of taps phase, phase + stride, ...
inline std::int64_t taps_of_phase(const Conv1dShape& s, std::int64_t phase) {
  return phase < s.taps ? (s.taps - phase + s.stride - 1) / s.stride : 0;
}

/// q for which the source q * stride + phase - pad lies inside.
inline Range sources_of_phase(const Conv1dShape& s, std::int64_t phase) {
  const std::int64_t begin = ceil_divide(s.pad - phase, s.stride);
  const std::int64_t end = ceil_divide(s.length + s.pad - phase, s.stride);
  return {begin, std::max(begin, end)};
}

/// The taps of the phase, counted from the last one, whose position exists for the q-th source: the tap
/// phase + j * stride is read by position q - j.
inline Range reversed_taps_inside(const Conv1dShape& s, std::int64_t phase, std::int64_t q) {
  const std::int64_t taps = taps_of_phase(s, phase);
  const std::int64_t first = q - (taps - 1);  // position of the last tap
  return bounded(-first, s.positions - first, taps);
}

}  // namespace regatta::engine::cpu
