// Stamped times: the elapsed time of k consecutive steps of one arm, or of how one of its processes began.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

namespace regatta::stats {

/// Workers run and stamp the first four; the launcher stamps how a process began.
enum class Phase : std::uint8_t { first = 0, warmup = 1, reentry = 2, steady = 3, start = 4, prepare = 5 };
inline constexpr std::array phase_names = {"first", "warmup", "reentry", "steady", "start", "prepare"};
inline const char* name_of(Phase phase) { return phase_names.at(static_cast<std::size_t>(phase)); }

/// Whether it consists of steps. A fresh process starts (imports included), builds its model, and then makes its first
/// step; one that was warm already has no `start`.
inline constexpr bool has_steps(Phase phase) { return phase <= Phase::steady; }

/// Fixed little-endian layout of 32 bytes; the unit of the sample log and of binary chunks.
struct Sample {
  std::uint32_t slice = 0;  ///< counts the slices of a block from 0
  std::uint16_t arm = 0;    ///< position of the trial inside its block
  Phase phase = Phase::steady;
  std::uint8_t flags = 0;    ///< disturbance flags, 0 = none
  std::uint32_t steps = 1;   ///< k; 0 of a start or a preparation
  std::uint16_t rank = 0;    ///< rank inside a data-parallel trial
  std::uint16_t square = 0;  ///< balanced square of the block that the slice belongs to; set by the agent
  double start_seconds = 0;  ///< steady clock of the host
  double seconds = 0;        ///< elapsed, stalls included
};
static_assert(sizeof(Sample) == 32 && std::is_trivially_copyable_v<Sample>);

/// Scored steps and re-entries: what budgets of measuring time are spent on.
inline bool is_measuring(Phase phase) { return phase == Phase::steady || phase == Phase::reentry; }

}  // namespace regatta::stats
