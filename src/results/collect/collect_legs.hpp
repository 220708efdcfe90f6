// What the journal knows of training.
#pragma once

#include <string>
#include <vector>

#include "regatta/results/tables.hpp"
#include "regatta/sweep/plan.hpp"
#include "results/collect/gather.hpp"

namespace regatta::results {

/// Adds the leg's row. Throws InputError if what was recorded of this block is not what was planned.
void add_leg(Results& results, const sweep::Block& block, const Taken& taken);

/// Every metric that a leg has, in order of first appearance.
std::vector<std::string> metrics_of(const std::vector<LegRow>& rows);

/// By trial, then seed, then where they begin.
void sort_legs(std::vector<LegRow>& legs);

/// Figures of each trial for tables and queries: the mean over its runs of each metric at their best evaluation, under
/// fresh seeds where there are any, and of the test part once it was opened; `runs`, how many these are.
void fill_learned_metrics(Results& results);

}  // namespace regatta::results
