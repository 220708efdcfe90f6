#include "analysis/contrasts/contrasts.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "analysis/judging/judging.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/stats/many_contrasts.hpp"
#include "regatta/stats/warm_up.hpp"

namespace regatta::analysis {
namespace {

using stats::Verdict;

/// Returns why this arm was not measured on. Arms of a block without a baseline do not tell it.
sweep::WhyStopped why_stopped(const Judge& judge, const results::TrialRow& trial, const stats::Judgement& judgement) {
  using sweep::WhyStopped;
  const auto told = sweep::value_of<WhyStopped>(trial.facts, sweep::Fact::why_stopped);
  if (told != WhyStopped::none) return told;
  if (judge.spec && judge.spec->measure.slices) return WhyStopped::fixed_slices;
  return judgement.precise ? WhyStopped::decided : WhyStopped::time_spent;
}

std::optional<Contrast::Undisturbed> undisturbed(const stats::Judgement& judgement) {
  const stats::Reading& reading = judgement.undisturbed;
  if (!judgement.has(stats::Flag::disturbed) || !std::isfinite(reading.estimate)) return {};
  Contrast::Undisturbed clean;
  clean.ratio = std::exp(reading.estimate);
  clean.squares = static_cast<std::int64_t>(reading.squares);
  clean.verdict = reading.verdict;
  if (reading.range.finite() && !reading.range.empty()) {
    clean.low = std::exp(reading.range.low);
    clean.high = std::exp(reading.range.high);
  }
  return clean;
}

std::optional<Contrast::WithoutStalls> without_stalls(const stats::Judgement& judgement) {
  if (!judgement.has(stats::Flag::stalls)) return {};
  const stats::Reading& reading = judgement.without_stalls;
  return Contrast::WithoutStalls{std::exp(reading.estimate), std::exp(reading.range.low), std::exp(reading.range.high)};
}

void take(Contrast& contrast, const stats::Judgement& judgement) {
  contrast.ratio = std::exp(judgement.estimate);
  contrast.ratio_of_medians = std::exp(judgement.median_steps_estimate);
  if (std::isfinite(judgement.low) && std::isfinite(judgement.high) && judgement.low <= judgement.high) {
    contrast.low = std::exp(judgement.low);
    contrast.high = std::exp(judgement.high);
  }
  contrast.squares = static_cast<std::int64_t>(judgement.squares);
  contrast.processes = 2 * static_cast<std::int64_t>(judgement.process_pairs);
  contrast.verdict = judgement.verdict;
  contrast.precise = judgement.precise;
  contrast.e_value = judgement.e_value;
  contrast.confirmed = judgement.confirmed;
  contrast.position_effect = judgement.position_effect;
  contrast.pairs = judgement.pairs;
  contrast.undisturbed = undisturbed(judgement);
  contrast.without_stalls = without_stalls(judgement);
  contrast.flags.add(judgement.flags);
}

void take(Contrast& contrast, const std::vector<ProcessPair>& pairs) {
  const auto [fewest, most] = std::ranges::minmax_element(pairs, {}, &ProcessPair::squares);
  if (pairs.empty()) return;
  contrast.fewest_squares = fewest->squares;
  contrast.most_squares = most->squares;
}

/// A command and what computes nothing have none.
bool differ_in_precision(const sweep::Parameters& a, const sweep::Parameters& b) {
  const sweep::Value& one = a[sweep::Param::precision];
  const sweep::Value& other = b[sweep::Param::precision];
  return one != other && one != sweep::Value() && other != sweep::Value();
}

/// Where the time of a step depends on it.
std::optional<Contrast::OverCalls> over_calls(const Judge& judge, BlockIndex block, std::size_t arm,
                                              const stats::Judgement& judgement) {
  if (!judgement.has(stats::Flag::call_length) || !judgement.over_call_lengths.finite()) return std::nullopt;
  const BlockFindings& findings = judge.findings[block.value];
  const bool is_arms = call_length_misfit(findings[arm]) >= call_length_misfit(findings.front());
  const stats::CallLengths& calls = *(is_arms ? findings[arm] : findings.front()).calls;
  return Contrast::OverCalls{std::exp(judgement.over_call_lengths.low), std::exp(judgement.over_call_lengths.high),
                             static_cast<std::int64_t>(calls.shortest_steps),
                             static_cast<std::int64_t>(calls.longest_steps)};
}

std::optional<Contrast> contrast_of(const Judge& judge, BlockIndex block, std::size_t arm) {
  const results::Results& results = judge.results;
  const results::BlockRow& row = results.blocks[block.value];
  Contrast contrast;
  contrast.a = row.arms[arm];
  contrast.b = row.arms.front();
  contrast.block = block;
  const auto& row_a = results.trials.at(contrast.a.value);
  const auto& row_b = results.trials.at(contrast.b.value);
  const auto fits = [](const auto& trial) {
    return std::holds_alternative<sweep::Finished>(trial.outcome) && trial.verified != sweep::Verified::no;
  };
  const BlockValues& values = judge.values[block.value];
  if (!fits(row_a) || !fits(row_b) || values.empty()) return std::nullopt;
  const stats::JudgeOptions options = judge.options_for(block, arm, 0);
  const auto differences = judge_by_difference(judge, block, arm);
  const auto judgement = differences ? differences->judgement : stats::judge({values[arm], values.front()}, options);
  if (!std::isfinite(judgement.estimate)) return std::nullopt;
  contrast.margin = options.margin;
  contrast.metric = metric_of(results, row, judge.metric());
  if (judge.spec) contrast.steps_from_start = judge.spec->measure.n.value_or(0);
  if (const auto compared = judge.result()) contrast.result = compared->name;
  contrast.why_stopped = {why_stopped(judge, row_a, judgement)};
  if (differ_in_precision(row_a.parameters, row_b.parameters))
    contrast.flags.add(stats::Flag::different_arithmetic);
  else if (row_a.verified == sweep::Verified::close)
    contrast.flags.add(stats::Flag::close_work);
  else if (row_a.verified == sweep::Verified::other_weights)
    contrast.flags.add(stats::Flag::other_weights);
  contrast.flags.add(row.flags);
  contrast.flags.add(slot_flags(results, row_a));
  take(contrast, judgement);
  contrast.over_calls = over_calls(judge, block, arm, judgement);
  for (const std::size_t of : {std::size_t{0}, arm}) contrast.flags.add(judge.findings[block.value][of].state);
  if (forbid_verdict(contrast.flags)) contrast.verdict = Verdict::undecided;
  take(contrast, process_pairs(values[arm], values.front()));
  if (differences) tell_difference(contrast, *differences);
  return contrast;
}

/// The contrasts of one pair of arms, over all settings, are a family.
std::vector<std::size_t> families_of(const std::vector<Contrast>& contrasts, const Judge& judge) {
  const auto name = [&](TrialIndex trial) {
    return arm_label(judge.results.trials[trial.value].parameters, judge.axes);
  };
  std::map<std::pair<std::string, std::string>, std::size_t> number_of;
  std::vector<std::size_t> families;
  for (const Contrast& contrast : contrasts)
    families.push_back(number_of.try_emplace({name(contrast.a), name(contrast.b)}, number_of.size()).first->second);
  return families;
}

/// The two trials of a contrast.
using Pair = std::pair<TrialIndex, TrialIndex>;
Pair pair_of(const Contrast& contrast) { return {contrast.a, contrast.b}; }

/// The contrasts of all blocks, each pair of arms in the place of its first one.
std::vector<Contrast> contrasts_of_blocks(const Judge& judge) {
  std::vector<Contrast> found;
  std::map<Pair, std::size_t> places;
  for (std::uint32_t index = 0; index < judge.results.blocks.size(); ++index) {
    const auto& block = judge.results.blocks[index];
    if (!block.has_baseline) continue;
    for (std::size_t arm = 1; arm < block.arms.size() - (block.has_clone ? 1 : 0); ++arm) {
      auto contrast = contrast_of(judge, BlockIndex{index}, arm);
      if (!contrast) continue;
      places.try_emplace(pair_of(*contrast), places.size());
      found.push_back(std::move(*contrast));
    }
  }
  std::ranges::stable_sort(found, {}, [&](const Contrast& contrast) { return places.at(pair_of(contrast)); });
  return found;
}

/// Takes out what was measured again in another block.
std::vector<Contrast> take_replaced(std::vector<Contrast>& contrasts, const results::Results& results) {
  const auto is_again = [&](const Contrast& contrast) { return results.blocks[contrast.block.value].measured_again; };
  std::set<Pair> again;
  for (const Contrast& contrast : contrasts) {
    if (is_again(contrast)) again.insert(pair_of(contrast));
  }
  const auto replaced = std::ranges::stable_partition(
      contrasts, [&](const Contrast& contrast) { return is_again(contrast) || !again.contains(pair_of(contrast)); });
  std::vector<Contrast> taken(std::make_move_iterator(replaced.begin()), std::make_move_iterator(replaced.end()));
  contrasts.erase(replaced.begin(), replaced.end());
  return taken;
}

/// Differences that so many looks may find by chance are no verdicts (R12). Then what each contrast can tell: the
/// smallest difference that its interval tells, and that is a discovery beside those that there are.
void control_discoveries(std::vector<Contrast>& contrasts, const Judge& judge) {
  std::vector<double> e_values;
  for (const Contrast& contrast : contrasts) e_values.push_back(contrast.e_value);
  const double alpha = judge.options.alpha;
  const std::vector<std::size_t> families = families_of(contrasts, judge);
  const auto discovered = stats::e_benjamini_hochberg(e_values, families, alpha);
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> of_family;  // contrasts, discoveries
  std::size_t all = 0;
  for (std::size_t i = 0; i < contrasts.size(); ++i) {
    ++of_family[families[i]].first;
    of_family[families[i]].second += discovered[i] ? 1 : 0;
    all += discovered[i] ? 1 : 0;
  }
  for (std::size_t i = 0; i < contrasts.size(); ++i) {
    Contrast& contrast = contrasts[i];
    const Verdict verdict = among_many(contrast.verdict, discovered[i]);
    contrast.one_of_many = verdict != contrast.verdict;
    contrast.verdict = verdict;
    contrast.confirmed = contrast.confirmed && verdict != Verdict::undecided;
    const auto [in_family, found] = of_family[families[i]];
    const std::size_t more = discovered[i] ? 0 : 1;
    const double needed = std::max(stats::evidence_needed(contrasts.size(), all + more, alpha),
                                   stats::evidence_needed(in_family, found + more, alpha));
    tell_resolution(contrast, judge, needed);
  }
}

/// Controls the discoveries among replaced contrasts, within the family in which they were first measured.
void control_replaced(Contrasts& found, const Judge& judge) {
  if (found.replaced.empty()) return;
  const std::size_t replaced = found.replaced.size();
  for (const Contrast& contrast : found.contrasts) {
    if (!judge.results.blocks[contrast.block.value].measured_again) found.replaced.push_back(contrast);
  }
  control_discoveries(found.replaced, judge);
  found.replaced.resize(replaced);
}

}  // namespace

Contrasts contrasts(const Judge& judge) {
  const results::Results& results = judge.results;
  Contrasts found;
  found.axes = judge.axes;
  found.metric = judge.metric();
  found.contrasts = contrasts_of_blocks(judge);
  found.replaced = take_replaced(found.contrasts, results);
  found.contrasts = with_replicates_joined(std::move(found.contrasts), judge);
  control_replaced(found, judge);
  control_discoveries(found.contrasts, judge);
  found.result = judge.result();
  found.result_unit = judge.result_unit();
  found.identical = judge.spreads.identical();
  found.clones = judge.spreads.clones();
  found.missing = no_contrasts(judge, found.contrasts);
  return found;
}

Contrasts contrasts(const results::Results& results) { return contrasts(judge_of(results)); }

}  // namespace regatta::analysis
