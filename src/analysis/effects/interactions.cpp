#include "analysis/effects/interactions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "analysis/judging/replaced.hpp"
#include "regatta/analysis/wording.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/two_samples.hpp"

namespace regatta::analysis {
namespace {

using sweep::Param;

/// Arms of a block: a the baseline, b another level of `factor`, c of `other`, d of both.
struct Quartet {
  Param factor;
  Param other;
  std::array<std::size_t, 4> arms;
};

/// The arm whose compared parameters are those of `wanted`.
std::optional<std::size_t> arm_with(const results::Results& results, const results::BlockRow& block,
                                    const sweep::Parameters& wanted, std::size_t arms) {
  for (std::size_t at = 0; at < arms; ++at) {
    if (results.trials[block.arms[at].value].parameters.values == wanted.values) return at;
  }
  return std::nullopt;
}

std::vector<Quartet> quartets(const results::Results& results, const results::BlockRow& block,
                              const std::vector<Param>& over) {
  std::vector<Quartet> found;
  const std::size_t arms = block.arms.size() - (block.has_clone ? 1 : 0);
  const auto& base = results.trials[block.arms[0].value].parameters;
  for (std::size_t d = 1; d < arms; ++d) {
    const auto& both = results.trials[block.arms[d].value].parameters;
    std::vector<Param> differing;
    std::ranges::copy_if(over, std::back_inserter(differing), [&](Param param) { return both[param] != base[param]; });
    if (differing.size() != 2) continue;
    sweep::Parameters of_b = both;
    sweep::Parameters of_c = both;
    // The factor that is named last is asked about: over ["engine", "mode"] asks what a mode does in each engine.
    of_b.set(differing[0], base[differing[0]]);
    of_c.set(differing[1], base[differing[1]]);
    const auto b = arm_with(results, block, of_b, arms);
    const auto c = arm_with(results, block, of_c, arms);
    if (b && c) found.push_back({differing[1], differing[0], {0, *b, *c, d}});
  }
  return found;
}

/// Log seconds per work of each square.
std::map<std::uint32_t, double> log_by_square(const std::vector<stats::SliceValue>& slices) {
  std::map<std::uint32_t, std::pair<double, double>> totals;
  for (const auto& slice : slices) {
    totals[slice.square].first += slice.seconds;
    totals[slice.square].second += slice.work;
  }
  std::map<std::uint32_t, double> logs;
  for (const auto& [square, of_square] : totals) logs[square] = std::log(of_square.first / of_square.second);
  return logs;
}

/// For each square in which all four took part: log of b / a, and of d / c.
std::pair<std::vector<double>, std::vector<double>> log_ratios(const BlockValues& values, const Quartet& quartet) {
  std::array<std::map<std::uint32_t, double>, 4> logs;
  for (std::size_t i = 0; i < 4; ++i) logs[i] = log_by_square(values[quartet.arms[i]]);
  std::pair<std::vector<double>, std::vector<double>> ratios;
  for (const auto& [square, of_a] : logs[0]) {
    const bool all = std::ranges::all_of(logs, [&, at = square](const auto& each) { return each.contains(at); });
    if (!all) continue;
    ratios.first.push_back(logs[1].at(square) - of_a);
    ratios.second.push_back(logs[3].at(square) - logs[2].at(square));
  }
  return ratios;
}

std::size_t fewest_processes(const BlockValues& values, const Quartet& quartet) {
  std::size_t fewest = ~std::size_t{0};
  for (const std::size_t arm : quartet.arms) {
    std::set<std::uint32_t> processes;
    for (const auto& slice : values[arm]) processes.insert(slice.process);
    fewest = std::min(fewest, processes.size());
  }
  return fewest;
}

std::string sentence(const Interaction& found, const results::Results& results, const Quartet& quartet,
                     const Axes& axes, sweep::Metric metric) {
  const auto& arms = results.blocks[found.block.value].arms;
  const auto level = [&](std::size_t arm, Param param) {
    return label(results.trials[arms[quartet.arms[arm]].value].parameters, {param});
  };
  const std::string interval = directed_interval(found.ratio, found.low, found.high, metric);
  const bool may_be_alike = found.low && found.high && *found.low <= 1 && *found.high >= 1;
  const std::string at_baseline = level(0, found.other);
  const std::string at_other = level(2, found.other);
  const bool is_better_at_other = found.ratio < 1;
  const std::string change =
      fmt::format("{}'s effect is {}{} better with {} than with {}", level(1, found.factor), times_text(found.ratio),
                  interval.empty() ? "" : " " + interval, is_better_at_other ? at_other : at_baseline,
                  is_better_at_other ? at_baseline : at_other);
  const std::string text = fmt::format("{} against {}: {} with {}, {} with {}; {}", level(1, found.factor),
                                       level(0, found.factor), directed_text(found.ratio_at_baseline, metric),
                                       at_baseline, directed_text(found.ratio_at_other, metric), at_other,
                                       may_be_alike ? "these two are not told apart" : change);
  const std::string where = label(results.trials[arms[0].value].parameters, axes.stratum);
  return where.empty() ? text : text + " at " + where;
}

/// All of its cells were measured again in another block, which has the quartet, too.
bool is_replaced(const Replaced& replaced, const results::BlockRow& block, const Quartet& quartet) {
  return std::ranges::all_of(quartet.arms, [&](std::size_t arm) { return arm == 0 || replaced.contains(block, arm); });
}

Interaction interaction_of(const BlockValues& values, const Quartet& quartet, BlockIndex block, double process_effect,
                           const stats::JudgeOptions& options) {
  const auto [at_base, at_other] = log_ratios(values, quartet);
  std::vector<double> differences;
  for (std::size_t i = 0; i < at_base.size(); ++i) differences.push_back(at_other[i] - at_base[i]);
  Interaction found;
  found.factor = quartet.factor;
  found.other = quartet.other;
  found.block = block;
  found.squares = differences.size();
  if (differences.empty()) return found;
  const auto median = [&](const std::vector<double>& logs) {
    return std::exp(stats::judge_units(logs, options).estimate);
  };
  found.ratio_at_baseline = median(at_base);
  found.ratio_at_other = median(at_other);
  const auto judgement = stats::judge_units(differences, options);
  found.ratio = std::exp(judgement.estimate);
  const std::size_t processes = fewest_processes(values, quartet);
  const double widening =  // two pairs of processes
      processes >= stats::rules::enough_process_pairs ? 0
                                                      : process_effect * std::sqrt(2 / static_cast<double>(processes));
  if (!std::isfinite(judgement.low) || !std::isfinite(judgement.high) || judgement.low > judgement.high) return found;
  found.low = std::exp(judgement.low - widening);
  found.high = std::exp(judgement.high + widening);
  return found;
}

}  // namespace

std::vector<Interaction> interactions_of(const Judge& judge) {
  const auto& spec = judge.spec;
  if (!spec || !spec->compare || spec->compare->over.size() < 2) return {};
  const results::Results& results = judge.results;
  const Replaced replaced(results);
  std::vector<Interaction> found;
  for (std::uint32_t index = 0; index < results.blocks.size(); ++index) {
    const auto& block = results.blocks[index];
    if (!block.has_baseline || judge.values[index].empty()) continue;
    for (const Quartet& quartet : quartets(results, block, spec->compare->over)) {
      if (is_replaced(replaced, block, quartet)) continue;
      double effect = 0;
      for (const std::size_t arm : quartet.arms) {
        const auto& trial = results.trials[block.arms[arm].value];
        effect = std::max(effect, judge.floors.process_effect_of(trial, trial));
      }
      auto each = interaction_of(judge.values[index], quartet, BlockIndex{index}, effect, judge.options);
      if (each.squares == 0) continue;
      each.text = sentence(each, results, quartet, judge.axes, judge.metric());
      found.push_back(std::move(each));
    }
  }
  return found;
}

}  // namespace regatta::analysis
