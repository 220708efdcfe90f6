// What has changed since rows were recorded, as people are told before anything starts.
#pragma once

#include <string>
#include <vector>

#include "job/job.hpp"
#include "regatta/results/changed.hpp"
#include "regatta/results/journal.hpp"

namespace regatta::launcher {

/// What has changed, in which rows, and what becomes of them. One line each; none if nothing is recorded, or all is as
/// it was.
std::vector<std::string> change_lines(const Job& job, const results::Scan& journal);

/// What has changed since the job found its origins, in words.
std::vector<std::string> changed_meanwhile(const Job& job);

/// Recorded blocks that this job measures again because of what has changed.
results::ChangedBlocks reopened_by_change(const Job& job, const results::Scan& journal);

/// Whether a session must record what has changed, or that nothing has, before results are shown.
bool tells_changes_anew(const Job& job, const results::Scan& journal);

}  // namespace regatta::launcher
