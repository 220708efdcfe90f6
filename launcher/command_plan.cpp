#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "regatta/base/units.hpp"
#include "regatta/model/catalogue.hpp"
#include "slice_loop.hpp"

namespace regatta::launcher {
namespace {

double estimate_seconds(const Job& job) {
  double seconds = 0;
  for (const sweep::Block& block : job.plan.blocks) seconds += block_budget_seconds(job.sweep, block, job.sharing_arms);
  return seconds;
}

/// The models of all trials, each once, as workers are given them; a trial tells which one by its place.
class Models {
 public:
  nlohmann::ordered_json place_of(const Job& job, const sweep::Trial& trial) {
    const auto model = sweep::model_of(job.sweep, trial.parameters);
    if (!model) return nullptr;
    const auto [entry, fresh] = places_.try_emplace(model::to_json(*model), texts_.size());
    if (fresh) texts_.push_back(nlohmann::ordered_json::parse(entry->first));
    return entry->second;
  }
  [[nodiscard]] const nlohmann::ordered_json& texts() const { return texts_; }

 private:
  std::map<std::string, std::size_t> places_;
  nlohmann::ordered_json texts_ = nlohmann::ordered_json::array();
};

nlohmann::ordered_json plan_json(const Job& job) {
  Models models;
  nlohmann::ordered_json trials = nlohmann::ordered_json::array();
  nlohmann::ordered_json skipped = nlohmann::ordered_json::array();
  for (const sweep::Trial& trial : job.plan.trials) {
    trials.push_back({{"id", to_string(trial.hash)},
                      {"parameters", nlohmann::ordered_json::parse(sweep::to_json(trial.parameters))},
                      {"model", models.place_of(job, trial)}});
    if (trial.skip_reason) skipped.push_back({{"id", to_string(trial.hash)}, {"reason", *trial.skip_reason}});
  }
  return {{"name", job.sweep.name},    {"points", job.plan.points},
          {"merged", job.plan.merged}, {"trials", trials},
          {"models", models.texts()},  {"blocks", job.plan.blocks.size()},
          {"skipped", skipped},        {"measuring_seconds", estimate_seconds(job)}};
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
