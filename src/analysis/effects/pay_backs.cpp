#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/effects/effects.hpp"
#include "regatta/stats/cold_starts.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::analysis {
namespace {

using ArmStarts = std::vector<std::vector<stats::ColdStart>>;  ///< by arm of a block

std::vector<ArmStarts> starts_by_block(const results::Results& results) {
  std::vector<std::vector<stats::Sample>> beginnings(results.blocks.size());
  for (const auto& row : results.samples) {
    const auto phase = row.sample.phase;
    if (phase == stats::Phase::first || !stats::has_steps(phase)) beginnings[row.block.value].push_back(row.sample);
  }
  std::vector<ArmStarts> starts;
  for (std::size_t i = 0; i < beginnings.size(); ++i)
    starts.push_back(stats::cold_starts(beginnings[i], results.blocks[i].arms.size()));
  return starts;
}

/// The question as a contrast asks it: its arm a against its baseline b.
struct Started {
  bool is_warm = false;
  std::vector<stats::PairCosts> pairs;
  stats::Estimate start_a, start_b;
  std::optional<std::pair<double, double>> cold;  ///< starts of a and b beside these, which compiled
};

/// All starts of an arm are alike if it keeps nothing compiled.
stats::Estimate start_of(const std::vector<stats::ColdStart>& starts, bool is_warm) {
  const std::vector<stats::ColdStart> such = stats::those_with(starts, is_warm);
  return stats::cold_start(such.empty() ? starts : such);
}

std::optional<Started> started(const Judge& judge, const ArmStarts& starts, const Contrast& contrast) {
  const BlockValues& values = judge.values[contrast.block.value];
  const auto& arms = judge.results.blocks[contrast.block.value].arms;
  const auto at = static_cast<std::size_t>(std::ranges::find(arms, contrast.a) - arms.begin());
  if (contrast.metric != sweep::Metric::time_per_step || values.empty() || at == arms.size()) return std::nullopt;
  const auto& of_a = starts[at];
  const auto& of_b = starts.front();
  Started found;
  found.pairs = stats::pair_costs({values[at], values.front()}, of_a, of_b);
  if (found.pairs.empty()) return std::nullopt;
  found.is_warm = std::ranges::any_of(found.pairs, &stats::PairCosts::is_warm);
  found.start_a = start_of(of_a, found.is_warm);
  found.start_b = start_of(of_b, found.is_warm);
  const auto cold = std::ranges::stable_partition(found.pairs, [](const auto& pair) { return pair.is_warm; });
  if (!found.is_warm || cold.empty()) return found;
  found.cold = {start_of(of_a, false).value, start_of(of_b, false).value};
  found.pairs.erase(cold.begin(), cold.end());
  return found;
}

void swap_arms(Started& of_both) {
  std::swap(of_both.start_a, of_both.start_b);
  if (of_both.cold) std::swap(of_both.cold->first, of_both.cold->second);
  for (stats::PairCosts& pair : of_both.pairs) {
    std::swap(pair.cold_a, pair.cold_b);
    std::swap(pair.step_a, pair.step_b);
  }
}

/// Whether the steps of the starter save anything is the contrast's verdict, and nothing else.
Pays pays(const Contrast& contrast, bool starter_is_a) {
  if (contrast.verdict == stats::Verdict::undecided) return Pays::unknown;
  return contrast.verdict == (starter_is_a ? stats::Verdict::faster : stats::Verdict::slower) ? Pays::yes : Pays::never;
}

double median_of(const std::vector<stats::PairCosts>& pairs, double stats::PairCosts::*part) {
  std::vector<double> values;
  for (const stats::PairCosts& pair : pairs) values.push_back(pair.*part);
  return stats::median(std::move(values));
}

/// Whether one arm is known to start later, or there are too few processes to tell.
bool starts_differ(const stats::Estimate& steps) { return !std::isfinite(steps.range.low) || steps.range.low > 0; }

/// By the steps of all processes: how fast these are has nothing to do with what was compiled when.
PayBack::Cold pay_back_of_cold(const PayBack& paid, const std::pair<double, double>& starts) {
  PayBack::Cold cold{starts.first, starts.second, {}};
  const double saving = paid.other_step - paid.starter_step;
  if (paid.pays == Pays::yes && saving > 0) cold.steps = std::max(0.0, (starts.first - starts.second) / saving);
  return cold;
}

std::optional<PayBack> pay_back(const Contrast& contrast, Started of_both) {
  const bool starter_is_a = of_both.start_a.value > of_both.start_b.value;
  if (!starter_is_a) swap_arms(of_both);
  const stats::Estimate steps = stats::break_even(of_both.pairs);
  if (!starts_differ(steps)) return std::nullopt;
  PayBack paid;
  paid.starter = starter_is_a ? contrast.a : contrast.b;
  paid.other = starter_is_a ? contrast.b : contrast.a;
  paid.pays = pays(contrast, starter_is_a);
  if (paid.pays == Pays::yes && !std::isfinite(steps.value)) paid.pays = Pays::unknown;
  paid.processes = of_both.pairs.size();
  paid.has_interval = paid.processes >= stats::rules::fewest_units;
  paid.is_warm = of_both.is_warm;
  paid.starter_start = of_both.start_a;
  paid.other_start = of_both.start_b;
  paid.starter_step = median_of(of_both.pairs, &stats::PairCosts::step_a);
  paid.other_step = median_of(of_both.pairs, &stats::PairCosts::step_b);
  if (paid.pays == Pays::yes) paid.steps = steps;
  if (of_both.cold) paid.cold = pay_back_of_cold(paid, *of_both.cold);
  return paid;
}

/// A slower start that buys nothing is a question only where it is the price of another mode.
bool is_question(const PayBack& paid, const results::Results& results) {
  if (paid.pays != Pays::never) return true;
  const auto& starter = results.trials[paid.starter.value].parameters;
  const auto& other = results.trials[paid.other.value].parameters;
  return starter[sweep::Param::engine] == other[sweep::Param::engine] &&
         starter[sweep::Param::mode] == sweep::Value(std::string("graph"));
}

}  // namespace

std::vector<PayBack> pay_backs_of(const Judge& judge, const Contrasts& contrasts) {
  const auto starts = starts_by_block(judge.results);
  std::vector<PayBack> found;
  for (const Contrast& contrast : contrasts.contrasts) {
    if (has_replicates(contrast)) continue;  // starts of one replicate are not those of all
    auto of_both = started(judge, starts[contrast.block.value], contrast);
    if (!of_both) continue;
    auto paid = pay_back(contrast, std::move(*of_both));
    if (!paid || !is_question(*paid, judge.results)) continue;
    found.push_back(std::move(*paid));
  }
  return found;
}

}  // namespace regatta::analysis
