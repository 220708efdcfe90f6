#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "regatta/base/units.hpp"
#include "slice_loop.hpp"

namespace regatta::launcher {
namespace {

double estimate_seconds(const Job& job) {
  double seconds = 0;
  for (const sweep::Block& block : job.plan.blocks) seconds += block_budget_seconds(job.sweep, block, job.sharing_arms);
  return seconds;
}

nlohmann::ordered_json plan_json(const Job& job) {
  nlohmann::ordered_json trials = nlohmann::ordered_json::array();
  nlohmann::ordered_json skipped = nlohmann::ordered_json::array();
  for (const sweep::Trial& trial : job.plan.trials) {
    trials.push_back({{"id", to_string(trial.hash)},
                      {"parameters", nlohmann::ordered_json::parse(sweep::to_json(trial.parameters))}});
    if (trial.skip_reason) skipped.push_back({{"id", to_string(trial.hash)}, {"reason", *trial.skip_reason}});
  }
  return {{"name", job.sweep.name},
          {"points", job.plan.points},
          {"merged", job.plan.merged},
          {"trials", trials},
          {"blocks", job.plan.blocks.size()},
          {"skipped", skipped},
          {"measuring_seconds", estimate_seconds(job)}};
}

void print_plan(const Job& job) {
  const sweep::Plan& plan = job.plan;
  fmt::print("{}: {} points, {} trials in {} blocks\n", job.sweep.name, plan.points, plan.trials.size(),
             plan.blocks.size());
  if (plan.merged > 0)
    fmt::print("{} points coincide with others: their engine or model does not read the axis\n", plan.merged);
  fmt::print("at most {} of measuring on one rank, and some time to prepare\n", format_duration(estimate_seconds(job)));
  std::map<std::string, std::size_t> reasons;
  for (const sweep::Trial& trial : plan.trials) {
    if (trial.skip_reason) ++reasons[*trial.skip_reason];
  }
  for (const auto& [reason, count] : reasons) fmt::print("skipped: {} x {}\n", count, reason);
  for (const sweep::NoContrast& missing : plan.no_contrasts)
    fmt::print("not compared: {} x {}\n", missing.trials.size(), missing.reason);
}

}  // namespace

int plan(const JobOptions& options, bool json) {
  const Job job = read_job(options);
  if (json) {
    fmt::print("{}\n", plan_json(job).dump(2));
  } else {
    print_plan(job);
  }
  return 0;
}

}  // namespace regatta::launcher
