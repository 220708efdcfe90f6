// Decides what a sweep that trains asks for next, by what its journal holds.
#pragma once

#include <vector>

#include "job/job.hpp"
#include "regatta/results/journal.hpp"
#include "regatta/results/open_work.hpp"

namespace regatta::launcher {

/// Blocks of the plan that are to be trained now; the others wait for what these give, or are never asked for. Empty:
/// the training is over.
std::vector<sweep::Block> legs_due(const Job& job, const results::Scan& journal);

/// "rung 2 of 4 of the search", "8 finalists under fresh seeds": what these legs are for.
std::string purpose_of(const Job& job, const std::vector<sweep::Block>& due);

/// Trials that train on are open: what is recorded of them is not all.
void reopen_due(const sweep::Sweep& sweep, results::Results& results);

/// The same, and of all stretches without a record those stay that the search asks for now.
void keep_due(results::OpenWork& work);

}  // namespace regatta::launcher
