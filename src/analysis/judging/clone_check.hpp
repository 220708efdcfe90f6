// One clone against the arm that it is a clone of.
#pragma once

#include <span>

#include "regatta/analysis/contrast.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::analysis {

/// Ratio, interval and verdict of a judgement.
CloneCheck clone_check(TrialIndex trial, BlockIndex block, const stats::Judgement& judgement);

/// What would have been said without taking turns; both lists in the order of time.
std::optional<CloneCheck::PlainLoops> plain_loops(std::span<const stats::SliceValue> clone,
                                                  std::span<const stats::SliceValue> original);

}  // namespace regatta::analysis
