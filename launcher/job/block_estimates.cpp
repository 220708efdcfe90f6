#include "job/block_estimates.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "job/foretold.hpp"
#include "regatta/sweep/budget.hpp"

namespace regatta::launcher {
namespace {

using sweep::Param;

constexpr double drain_seconds = 180;  // before its limit, slurm/sweep.sbatch has Slurm ask for the end

using Measured = std::vector<sweep::Value>;

/// What says how long a block takes beside what all blocks have in common.
Measured measured_by(const Job& job, const sweep::Block& block) {
  Measured measured;
  for (const TrialIndex arm : block.arms) {
    const sweep::Parameters& parameters = job.plan.trials[arm.value].parameters;
    for (const Param param : {Param::engine, Param::model, Param::command}) measured.push_back(parameters[param]);
  }
  return measured;
}

/// Whether its time is given, and not what it measures.
bool is_budgeted(const Job& job, const sweep::Block& block) {
  return !block.leg && !(job.sweep.measure.slices && job.sweep.measure.steps);
}

/// A drain keeps whole squares, of which nobody foretells how many there are: those that may give a verdict count. A
/// training keeps what it has learnt.
double least_share(const Job& job, const sweep::Block& block) {
  if (block.leg) return 0;
  if (is_budgeted(job, block)) {
    const double least = sweep::need_of(job.sweep, job.plan, block, job.sharing.starts).least;
    return std::min(1.0, least / expected_time(job, block).seconds);
  }
  const auto squares = *job.sweep.measure.slices / static_cast<std::int64_t>(block.arms.size());
  return 1 / static_cast<double>(std::max<std::int64_t>(squares, 1));
}

}  // namespace

std::function<schedule::Estimate(const sweep::Block&)> block_estimates(const Job& job) {
  const auto kinds = std::make_shared<std::map<Measured, std::uint32_t>>();
  return [&job, kinds](const sweep::Block& block) {
    const auto number = static_cast<std::uint32_t>(kinds->size());
    schedule::Estimate estimate;
    estimate.alike = kinds->try_emplace(measured_by(job, block), number).first->second;
    estimate.least_share = least_share(job, block);
    if (is_budgeted(job, block)) estimate.seconds = expected_time(job, block).seconds;
    return estimate;
  };
}

double end_of_allocation_seconds() {
  const char* text = std::getenv("SLURM_JOB_END_TIME");
  const double end = text == nullptr ? 0 : std::strtod(text, nullptr);
  return end > 0 ? end - drain_seconds : std::numeric_limits<double>::infinity();
}

}  // namespace regatta::launcher
