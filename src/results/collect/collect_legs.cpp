#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "regatta/results/store.hpp"
#include "results/collect/collect.hpp"

namespace regatta::results {
namespace {

/// Sum and number, for a mean.
struct Sum {
  double sum = 0;
  double count = 0;
};

using Sums = std::map<std::string, Sum>;

void add(Sums& sums, const std::string& name, double value) {
  if (!std::isfinite(value)) return;
  sums[name].sum += value;
  sums[name].count += 1;
}

/// The weight of a run's purpose: runs that chose nothing speak for a trial, if it has any.
int weight_of(sweep::Purpose purpose) {
  switch (purpose) {
    case sweep::Purpose::fresh:
      return 3;
    case sweep::Purpose::plain:
      return 2;
    case sweep::Purpose::search:
      return 1;
    default:
      return 0;
  }
}

void add_leg_to(Sums& sums, const LegRow& leg, int weight) {
  const sweep::Learned& learned = leg.learned;
  if (learned.test_loss) add(sums, sweep::test_loss, *learned.test_loss);
  if (learned.test_accuracy) add(sums, sweep::test_accuracy, *learned.test_accuracy);
  if (weight_of(leg.leg.purpose) != weight) return;
  add(sums, "runs", 1);
  for (std::size_t i = 0; i < learned.best.size(); ++i) add(sums, learned.curve.metrics[i], learned.best[i]);
}

}  // namespace

std::vector<LegRow> recorded_legs(const Scan& journal, const sweep::Plan& plan) {
  std::unordered_map<Hash128, const sweep::Block*> block_of;
  HashSet wanted;
  for (const sweep::Block& block : plan.blocks) {
    if (!block.leg) continue;
    block_of.emplace(block.hash, &block);
    wanted.insert(block.hash);
  }
  Results results;
  for (const Taken& taken : gather(journal.records, wanted).taken)
    add_leg(results, *block_of.at(taken.result.block.block), taken);
  sort_legs(results.legs);
  return std::move(results.legs);
}

void add_leg(Results& results, const sweep::Block& block, const Taken& taken) {
  const BlockRecord& record = taken.result.block;
  if (record.arms.size() != 1) throw_other_arms(block.hash);
  const sweep::ArmOutcome& arm = record.arms.front();
  LegRow row;
  row.block = block.hash;
  row.trial = block.arms.front();
  row.leg = *block.leg;
  row.outcome = arm.outcome;
  row.attempt = static_cast<std::int32_t>(record.attempt);
  row.device = taken.device;
  row.nodes = static_cast<std::int64_t>(sweep::number_of(arm.facts, sweep::Fact::nodes));
  row.start_wall_seconds = record.start_wall_seconds;
  row.end_wall_seconds = record.end_wall_seconds;
  if (arm.learned) row.learned = *arm.learned;
  results.legs.push_back(std::move(row));
}

std::vector<std::string> metrics_of(const std::vector<LegRow>& rows) {
  std::vector<std::string> metrics;
  for (const LegRow& row : rows) {
    for (const std::string& metric : row.learned.curve.metrics) {
      if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
    }
  }
  return metrics;
}

void sort_legs(std::vector<LegRow>& legs) {
  std::ranges::stable_sort(
      legs, {}, [](const LegRow& row) { return std::tuple(row.trial, row.leg.seed, row.leg.rung, row.leg.purpose); });
}

void fill_learned_metrics(Results& results) {
  std::map<TrialIndex, int> weights;
  for (const LegRow& leg : results.legs) weights[leg.trial] = std::max(weights[leg.trial], weight_of(leg.leg.purpose));
  std::map<TrialIndex, std::map<std::int64_t, const LegRow*>> last;  // by seed: earlier rungs knew less
  for (const LegRow& leg : results.legs) {
    const bool counts = leg.leg.purpose == sweep::Purpose::test || weight_of(leg.leg.purpose) == weights[leg.trial];
    const std::int64_t place = leg.leg.purpose == sweep::Purpose::test ? -1 - leg.leg.seed : leg.leg.seed;
    if (counts) last[leg.trial][place] = &leg;
  }
  for (const auto& [trial, legs] : last) {
    Sums sums;
    for (const auto& [seed, leg] : legs) add_leg_to(sums, *leg, weights[trial]);
    for (const auto& [name, sum] : sums)
      results.trials.at(trial.value).metrics[name] = name == "runs" ? sum.sum : sum.sum / sum.count;
  }
}

}  // namespace regatta::results
