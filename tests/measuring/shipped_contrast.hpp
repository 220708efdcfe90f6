// A contrast as the shipped loop takes it, from the draws of a replayed one.
#pragma once

#include <cstdint>
#include <vector>

#include "measuring/replay_contrast.hpp"
#include "measuring/replay_sweep.hpp"

namespace regatta::measuring {

/// Squares of the shipped loop at most: as many as a replay's.
inline constexpr std::size_t shipped_squares = 60;
/// Squares that each pair of processes serves, where processes start quickly.
inline constexpr std::size_t shipped_squares_each = 5;

/// measure::run_block on simulated arms: time of a over b, slice for slice what `replay` draws from `seed`.
Outcome shipped(const Noise& noise, double effect, std::uint64_t seed);

/// The contrasts of a sweep one after the other, as one agent takes them: what `take_sweep` draws from `seed`.
std::vector<Outcome> shipped_sweep(const KnownSweep& sweep, const Noise& noise, std::uint64_t seed);

}  // namespace regatta::measuring
