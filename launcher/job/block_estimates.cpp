#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "job/foretold.hpp"
#include "job/job.hpp"
#include "regatta/sweep/budget.hpp"
#include "regatta/sweep/capabilities.hpp"

namespace regatta::launcher {
namespace {

using sweep::Param;

constexpr double drain_seconds = 180;  // before its limit, slurm/sweep.sbatch has Slurm ask for the end
constexpr double drain_share = 0.1;    // at most, of a short allocation

using Measured = std::vector<sweep::Value>;

/// The values that decide how long a block takes, beside those that all blocks have in common.
Measured measured_by(const Job& job, const sweep::Block& block) {
  Measured measured;
  for (const TrialIndex arm : block.arms) {
    const sweep::Parameters& parameters = job.plan.trials[arm.value].parameters;
    for (const Param param : {Param::engine, Param::model, Param::command}) measured.push_back(parameters[param]);
  }
  return measured;
}

schedule::Estimate estimate_of(const Job& job, const sweep::Block& block, std::uint32_t alike) {
  if (block.leg) return {0, 0, alike};  // as long as its samples are; it keeps what it has learnt
  const sweep::Measure& measure = job.sweep.measure;
  if (measure.slices && measure.steps) {  // its number of steps is fixed, and not its time; a drain keeps whole squares
    const auto squares = *measure.slices / static_cast<std::int64_t>(block.arms.size());
    return {0, 1 / static_cast<double>(std::max<std::int64_t>(squares, 1)), alike};
  }
  // Nobody foretells how many squares there are: those that may give a verdict count.
  const double seconds = expected_time(job, block).seconds;
  const double least = sweep::need_of(job.sweep, job.plan, block, job.sharing.starts).least;
  return {seconds, std::min(1.0, least / seconds), alike};
}

/// 0 where it says nothing.
double seconds_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::strtod(text, nullptr);
}

}  // namespace

std::function<schedule::Estimate(const sweep::Block&)> block_estimates(const Job& job) {
  const auto kinds = std::make_shared<std::map<Measured, std::uint32_t>>();
  return [&job, kinds](const sweep::Block& block) {
    const auto number = static_cast<std::uint32_t>(kinds->size());
    return estimate_of(job, block, kinds->try_emplace(measured_by(job, block), number).first->second);
  };
}

double end_of_allocation_seconds() {
  const double start = seconds_in("SLURM_JOB_START_TIME");
  const double end = seconds_in("SLURM_JOB_END_TIME");
  if (end <= 0) return std::numeric_limits<double>::infinity();
  return end - (start > 0 && start < end ? std::min(drain_seconds, drain_share * (end - start)) : drain_seconds);
}

double end_of_total_seconds(const Job& job, double begin_seconds) {
  const auto total = job.sweep.measure.total_seconds;
  const bool are_programs = std::ranges::all_of(job.plan.trials, sweep::is_program, &sweep::Trial::parameters);
  if (!total || job.sweep.compare || !are_programs) return std::numeric_limits<double>::infinity();
  return begin_seconds + *total;
}

}  // namespace regatta::launcher
