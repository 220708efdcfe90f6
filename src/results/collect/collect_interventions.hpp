// What the journal knows of cells that were measured again with one thing changed.
#pragma once

#include <vector>

#include "regatta/results/tables.hpp"
#include "regatta/sweep/plan.hpp"
#include "results/collect/gather.hpp"

namespace regatta::results {

/// A row for each arm of each explaining block, lost as long as nothing is known of it.
void start_interventions(Results& results, const sweep::Plan& plan);

/// Throws InputError: what was recorded of this block is not what was planned.
[[noreturn]] void throw_other_arms(const Hash128& block);

/// Fills the rows of one block; `samples` by arm.
void fill_interventions(Results& results, const sweep::Block& block, const Taken& taken,
                        const std::vector<std::vector<stats::Sample>>& samples);

}  // namespace regatta::results
