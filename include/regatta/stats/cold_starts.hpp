// How the fresh processes of a block began (measuring.md R13): from a process's start to the end of its first step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "regatta/stats/range.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/samples.hpp"

namespace regatta::stats {

/// One fresh process, its parts in seconds.
struct ColdStart {
  std::uint32_t process = 0;  ///< counts the processes of its arm from 0, as SliceValue::process does
  double start = 0;           ///< until it was ready, imports included
  double prepare = 0;         ///< until the model was built
  double first_step = 0;      ///< its first call, what it compiles included

  [[nodiscard]] double seconds() const { return start + prepare + first_step; }
};

/// For each arm, in the order of time; `arms` lists. A process that was warm before the block has none. Samples of
/// other ranks than 0 are left out; those of an arm stand in the order of time.
std::vector<std::vector<ColdStart>> cold_starts(std::span<const Sample> block, std::size_t arms);

/// Median of one value for each fresh process; its range has ends from 7 values on ("n = k, no interval" below). NaN
/// without any.
Estimate cold_start(std::span<const ColdStart> starts, double alpha = rules::alpha);

}  // namespace regatta::stats
