// What the damage of a journal has cost, as far as that can be told.
#pragma once

#include <vector>

#include "regatta/results/journal.hpp"
#include "regatta/results/salvage.hpp"

namespace regatta::results {

/// What lies between the records of a scan. Blocks are named, not yet their trials.
std::vector<Loss> losses(const Scan& scan);

/// A result that has lost its samples.
Loss loss_of_samples(const Record& result);

/// Names the trials of blocks that the plan has, and the axes that tell them apart.
void name_trials(Salvaged& salvaged, const Record& plan);

}  // namespace regatta::results
