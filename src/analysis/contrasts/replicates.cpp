#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "analysis/contrasts/contrasts.hpp"
#include "analysis/judging/judging.hpp"

namespace regatta::analysis {
namespace {

/// The same for the two trials of a contrast under each seed.
std::string key_of(const Judge& judge, const Contrast& contrast) {
  std::string key;
  for (const TrialIndex trial : {contrast.a, contrast.b}) {
    sweep::Parameters parameters = judge.results.trials[trial.value].parameters;
    for (const sweep::Param& param : judge.axes.replicates) parameters.set(param, {});
    key += sweep::to_json(parameters) + '\n';
  }
  return key;
}

/// The replicate axes in which the arms of these contrasts differ.
std::vector<sweep::Param> axes_between(const Judge& judge, const std::vector<Contrast>& members) {
  const auto value = [&](const Contrast& member, const sweep::Param& param) {
    return judge.results.trials[member.a.value].parameters[param];
  };
  std::vector<sweep::Param> axes;
  for (const sweep::Param& param : judge.axes.replicates) {
    const bool varies = std::ranges::any_of(
        members, [&](const Contrast& member) { return value(member, param) != value(members.front(), param); });
    if (varies) axes.push_back(param);
  }
  return axes;
}

/// How far the time of a step depends on the length of a call, in the worst of these (log, R6).
double misfit_of(const std::vector<Contrast>& members) {
  double misfit = 0;
  for (const Contrast& member : members) {
    if (member.over_calls && member.high) misfit = std::max(misfit, std::log(member.over_calls->high / *member.high));
  }
  return misfit;
}

std::optional<Contrast::OverCalls> over_calls(const std::vector<Contrast>& members, const stats::Judgement& judgement) {
  if (!judgement.has(stats::Flag::call_length) || !judgement.over_call_lengths.finite()) return std::nullopt;
  Contrast::OverCalls calls{std::exp(judgement.over_call_lengths.low), std::exp(judgement.over_call_lengths.high),
                            std::numeric_limits<std::int64_t>::max(), 0};
  for (const Contrast& member : members) {
    if (!member.over_calls) continue;
    calls.shortest_steps = std::min(calls.shortest_steps, member.over_calls->shortest_steps);
    calls.longest_steps = std::max(calls.longest_steps, member.over_calls->longest_steps);
  }
  return calls;
}

/// Adds the evidence of one of them. Findings about its own slices, such as a drift, stay with it: over seeds they are
/// chance.
void add(Contrast& joined, const Contrast& member) {
  joined.squares += member.squares;
  joined.processes += member.processes;
  joined.fewest_squares = std::min(joined.fewest_squares, member.fewest_squares);
  joined.most_squares = std::max(joined.most_squares, member.most_squares);
  joined.replicates.push_back({member.a, member.b, member.block, std::log(member.ratio)});
  joined.flags.add(member.flags.without(stats::judgement_flags));
}

std::vector<sweep::WhyStopped> reasons_of(const std::vector<Contrast>& members) {
  std::vector<sweep::WhyStopped> reasons;
  for (const Contrast& member : members) {
    const sweep::WhyStopped why = member.why_stopped.front();
    if (std::ranges::find(reasons, why) == reasons.end()) reasons.push_back(why);
  }
  return reasons;
}

double ratio_of_medians(const std::vector<Contrast>& members) {
  double sum = 0;
  for (const Contrast& member : members) sum += std::log(member.ratio_of_medians);
  return std::exp(sum / static_cast<double>(members.size()));
}

std::vector<double> log_ratios(const Contrast& contrast) {
  std::vector<double> values;
  for (const Contrast::Replicate& replicate : contrast.replicates) values.push_back(replicate.log_ratio);
  return values;
}

void take_judgement(Contrast& joined, const stats::Judgement& judgement) {
  joined.ratio = std::exp(judgement.estimate);
  if (std::isfinite(judgement.low) && std::isfinite(judgement.high)) {
    joined.low = std::exp(judgement.low);
    joined.high = std::exp(judgement.high);
  }
  joined.verdict = forbid_verdict(joined.flags) ? stats::Verdict::undecided : judgement.verdict;
  joined.confirmed = judgement.confirmed && joined.verdict == judgement.verdict;
  joined.precise = judgement.precise;
  joined.e_value = judgement.e_value;
  joined.pairs = judgement.pairs;
}

Contrast joined(const std::vector<Contrast>& members, const Judge& judge) {
  const Contrast& first = members.front();
  Contrast all;
  all.a = first.a;
  all.b = first.b;
  all.block = first.block;
  all.margin = first.margin;
  all.metric = first.metric;
  all.result = first.result;
  all.steps_from_start = first.steps_from_start;
  all.fewest_squares = first.fewest_squares;
  for (const Contrast& member : members) add(all, member);
  all.replicate_axes = axes_between(judge, members);
  all.why_stopped = reasons_of(members);
  all.ratio_of_medians = ratio_of_medians(members);
  stats::JudgeOptions options = replicate_options(judge, all);
  options.call_length_misfit = misfit_of(members);
  const auto differences = judge_by_difference(judge, members, options);
  const auto judgement = differences ? differences->judgement : stats::judge_replicates(log_ratios(all), options);
  if (judgement.has(stats::Flag::call_length)) all.flags.add(stats::Flag::call_length);
  take_judgement(all, judgement);
  all.over_calls = over_calls(members, judgement);
  if (differences) tell_difference(all, *differences);
  return all;
}

/// Its value under the seed of this trial.
std::optional<double> value_beside(const Judge& judge, const Contrast& contrast, TrialIndex trial) {
  const sweep::Parameters& wanted = judge.results.trials[trial.value].parameters;
  const auto found = std::ranges::find_if(contrast.replicates, [&](const Contrast::Replicate& replicate) {
    const sweep::Parameters& parameters = judge.results.trials[replicate.a.value].parameters;
    return std::ranges::all_of(judge.axes.replicates,
                               [&](const sweep::Param& param) { return parameters[param] == wanted[param]; });
  });
  return found == contrast.replicates.end() ? std::nullopt : std::optional(found->log_ratio);
}

}  // namespace

std::vector<Contrast> with_replicates_joined(std::vector<Contrast> contrasts, const Judge& judge) {
  if (judge.axes.replicates.empty()) return contrasts;
  std::vector<std::vector<Contrast>> groups;
  std::unordered_map<std::string, std::size_t> places;
  for (Contrast& contrast : contrasts) {
    const auto [entry, is_new] = places.try_emplace(key_of(judge, contrast), groups.size());
    if (is_new) groups.emplace_back();
    groups[entry->second].push_back(std::move(contrast));
  }
  std::vector<Contrast> all;
  for (std::vector<Contrast>& members : groups)
    all.push_back(members.size() > 1 ? joined(members, judge) : std::move(members.front()));
  return all;
}

stats::JudgeOptions replicate_options(const Judge& judge, const Contrast& contrast) {
  if (contrast.metric == sweep::Metric::result) return judge.options;  // nobody knows how they scatter over seeds
  return judge.options_for(judge.results.trials[contrast.a.value], judge.results.trials[contrast.b.value]);
}

std::optional<stats::Judgement> judge_joined(const Judge& judge, const Contrast* a, const Contrast* b, double alpha) {
  std::vector<double> values;
  for (const Contrast::Replicate& one : (a != nullptr ? a : b)->replicates) {
    const std::optional<double> of_a = a == nullptr ? 0 : value_beside(judge, *a, one.a);
    const std::optional<double> of_b = b == nullptr ? 0 : value_beside(judge, *b, one.a);
    if (of_a && of_b) values.push_back(*of_a - *of_b);
  }
  if (values.size() < stats::rules::fewest_process_pairs) return std::nullopt;
  stats::JudgeOptions options = replicate_options(judge, a != nullptr ? *a : *b);
  options.alpha = alpha;
  return stats::judge_replicates(values, options);
}

}  // namespace regatta::analysis
