// The journal of a run that goes on.
#pragma once

#include <future>

#include "job/job.hpp"
#include "regatta/results/journal.hpp"

namespace regatta::launcher {

/// A job that goes on, while it is made: plan and records of a million trials take seconds.
struct JobToGoOn {
  std::future<Job> job;                ///< with its plan; throws InputError
  std::future<results::Scan> records;  ///< of its journal, as they are before the folder is ours
};

/// Reads and validates; neither thread that goes on asks for the environment. Throws InputError.
JobToGoOn read_to_go_on(const JobOptions& options);

/// What earlier sessions left in the job's folder, made whole first where damage cost no result
/// (results::resume_store). `before`: the records that read_to_go_on() began to read. Throws InputError with the
/// commands that go on where it may have cost one.
results::Scan resume(const Job& job, double lock_seconds, results::Scan before = {});

}  // namespace regatta::launcher
