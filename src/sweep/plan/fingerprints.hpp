// Sets of levels told apart in 16 bytes, so that telling points apart takes little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "regatta/base/random.hpp"
#include "sweep/plan/points.hpp"

namespace regatta::sweep {

/// The sum of 128 pseudo-random bits for each parameter and its level: equal for equal sets, and different for
/// different ones but for a chance of 2^-80 among a million (Zobrist 1970).
struct Fingerprint {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  auto operator<=>(const Fingerprint&) const = default;

  Fingerprint& operator+=(const Fingerprint& other) {
    low += other.low;
    high += other.high;
    return *this;
  }
  Fingerprint& operator-=(const Fingerprint& other) {
    low -= other.low;
    high -= other.high;
    return *this;
  }
};

inline Fingerprint fingerprint_of(std::size_t param, LevelId level) {
  return {random_bits(2 * param, level), random_bits(2 * param + 1, level)};
}

/// Of the levels of `params`.
inline Fingerprint fingerprint_of(const PointLevels& levels, const ParamSet& params) {
  Fingerprint sum;
  for (std::size_t i = 0; i < param_count; ++i) {
    if (params[i]) sum += fingerprint_of(i, levels[i]);
  }
  return sum;
}

/// Numbers fingerprints in order of first appearance.
class FingerprintTable {
 public:
  /// Its number, and whether it is new.
  std::pair<std::uint32_t, bool> add(const Fingerprint& fingerprint);
  [[nodiscard]] std::optional<std::uint32_t> find(const Fingerprint& fingerprint) const;
  [[nodiscard]] std::size_t size() const { return fingerprints_.size(); }

 private:
  /// Where it stands, or would.
  [[nodiscard]] std::size_t slot_of(const Fingerprint& fingerprint) const;
  void grow();

  std::vector<Fingerprint> fingerprints_;
  std::vector<std::uint32_t> slots_;  ///< numbers, open addressing
};

}  // namespace regatta::sweep
