// The journal of a run that goes on.
#pragma once

#include "job/job.hpp"
#include "regatta/results/journal.hpp"

namespace regatta::launcher {

/// What earlier sessions left in the job's folder, made whole first where damage cost no result
/// (results::resume_store). Throws InputError with the commands that go on where it may have cost one.
results::Scan resume(const Job& job, double lock_seconds);

}  // namespace regatta::launcher
