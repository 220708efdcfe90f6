// Finals: the best cells of a setting and their baseline in a block of their own, measured again once all blocks of
// the plan are (measuring.md R12). They are chosen by results, so no plan of a sweep holds them: a run adds them, and
// the record of one names its arms.
#pragma once

#include <optional>
#include <vector>

#include "regatta/sweep/plan.hpp"

namespace regatta::sweep {

/// The final of these arms, the baseline first. Nothing where they are not all cells beside it in the plan's blocks.
std::optional<Block> final_block(const Plan& plan, const std::vector<TrialIndex>& arms);

/// The finals to come, as far as a plan tells: one block for each setting of more than five cells, of the size of its
/// final. The best cells are not known before.
std::vector<Block> finals_to_come(const Plan& plan);

/// The plan with these finals, and no others, behind its blocks of trials.
Plan with_finals(Plan plan, const std::vector<Block>& finals);

}  // namespace regatta::sweep
