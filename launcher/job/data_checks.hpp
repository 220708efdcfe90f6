// Whether the trials of a training can be trained on their data, before any is.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "job/job.hpp"
#include "regatta/sweep/block_task.hpp"

namespace regatta::launcher {

/// The worker's output on the data of a trial; nothing if it died or took too long.
using AskWorker = std::function<std::optional<std::string>(const sweep::ArmTask& task)>;

struct DataChecks {
  std::map<TrialIndex, std::string> unfit;  ///< why trials of a training cannot be trained on their data
  std::set<std::string> remarks;            ///< sentences about data that are trained on all the same
};

/// Why trials of the plan cannot be trained on their data: a batch of more samples than there are, a model that reads
/// others; and a test part that lacks classes. Empty for a benchmark. Questions that the worker does not answer are
/// left to the trials themselves. Throws InputError for data that no model could be trained on: damaged, too few,
/// without labels, with numbers that are not finite.
DataChecks check_data(const sweep::Sweep& sweep, const sweep::Plan& plan, const AskWorker& ask);
DataChecks check_data(const sweep::Sweep& sweep, const sweep::Plan& plan);

/// The reasons of skips, the plan's and these, and how many trials each one has; what differs in numbers alone is one.
std::map<std::string, std::size_t> skips_by_reason(const sweep::Plan& plan,
                                                   const std::map<TrialIndex, std::string>& unfit);

/// Throws InputError if the files that the run will write are data of the sweep.
void keep_data(const Job& job);

/// Throws InputError, with the reasons, if no trial of a training is left.
void need_a_training(const Job& job);

}  // namespace regatta::launcher
