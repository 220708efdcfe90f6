// Sweeps of many contrasts whose truth is known: when each stops, and what the control of false discoveries leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "measuring/replay_contrast.hpp"

namespace regatta::measuring {

struct KnownSweep {
  std::string name;
  std::vector<double> log_effects;    ///< one for each contrast, in the order in which they are measured
  std::vector<std::size_t> families;  ///< the number of its pair of arms, for each
};

/// `contrasts` of so many pairs of arms. One in a hundred is real, 2 % to a factor of 2 in either direction, and the
/// others are `no_difference`.
KnownSweep one_percent_real(std::size_t contrasts, std::size_t families, double no_difference);

/// Nine in ten are real, all of one pair of arms; those of the other pair are `no_difference`.
KnownSweep one_pair_real(std::size_t contrasts, double no_difference);

/// Evidence with which a difference may stop.
enum class StopsAt : std::uint8_t {
  twice,     ///< 2 / alpha: as if half of all were discoveries
  its_rank,  ///< as shipped: what e-BH asks of the k-th difference that is found
  first      ///< m / alpha: what it asks of the only one
};

/// The comparisons that discoveries are counted over.
enum class Control : std::uint8_t { sweep, pairs, both };

/// Contrast by contrast: the real rules of looking and judging.
std::vector<Outcome> take_sweep(const KnownSweep& sweep, const Noise& noise, StopsAt stop, std::uint64_t seed);

struct Discovered {
  std::size_t real = 0;
  std::size_t found = 0;         ///< real ones, in the right direction
  std::size_t doubtful = 0;      ///< real ones that are right, but read "faster?"
  std::size_t false_found = 0;   ///< discoveries that are none
  double false_share = 0;        ///< among all discoveries; 0 without any
  double worst_false_share = 0;  ///< among those of one pair of arms, where it is largest
  double real_squares = 0;       ///< median over the real ones
  double squares = 0;            ///< mean over all
};

Discovered discovered(const KnownSweep& sweep, const std::vector<Outcome>& outcomes, Control control);

}  // namespace regatta::measuring
