// A contrast as the shipped loop takes it, from the draws of a replayed one.
#pragma once

#include <cstdint>

#include "measuring/replay_contrast.hpp"

namespace regatta::measuring {

/// Squares of the shipped loop at most: as many as a replay's.
inline constexpr std::size_t shipped_squares = Method{}.most_squares;

/// measure::run_block on simulated arms: time of a over b, slice for slice what `replay` draws from `seed`.
Outcome shipped(const Noise& noise, double effect, std::uint64_t seed);

}  // namespace regatta::measuring
