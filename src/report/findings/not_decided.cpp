#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "report/findings/findings.hpp"
#include "report/findings/measure_on.hpp"
#include "report/findings/summary.hpp"

namespace regatta::report {
namespace {

using analysis::Contrast;

struct Reason {
  std::string why;
  std::string advice;
  std::string detail = {};  ///< the evidence for this comparison so far
  bool needs_time = false;  ///< the advice is to go on
};

/// "3 pairs of processes; about 5 more, 2 min".
std::string pairs_text(const Contrast& contrast) {
  const auto pairs = contrast.processes / 2;
  std::string text = fmt::format("{} pair{} of processes", pairs, pairs == 1 ? "" : "s");
  if (!contrast.outlook || contrast.outlook->more_pairs == 0) return text;
  return text + fmt::format("; about {} more, {}", contrast.outlook->more_pairs, about_time(contrast.outlook->seconds));
}

/// "3 seeds; about 5 more".
std::string replicates_known(const Contrast& contrast) {
  const std::string text = replicates_text(contrast);
  if (!contrast.outlook || contrast.outlook->more_pairs == 0) return text;
  return text + fmt::format("; about {} more", contrast.outlook->more_pairs);
}

/// Time adds nothing to what one seed shows of others.
Reason undecided_over_replicates(const Contrast& contrast) {
  const std::string text = replicates_known(contrast);
  const std::string advice = "name more of them in the sweep file: more time for these adds nothing";
  if (contrast.one_of_many) return {"one difference like this may be chance among so many comparisons", advice, text};
  return {
      fmt::format("over its replicates it may differ by more or by less than the margin of {}", margin_text(contrast)),
      advice, text};
}

/// An interval that is narrow already and still holds the margin: no number of pairs that anybody waits for decides it.
bool is_at_the_margin(const Contrast& contrast) {
  const double half = std::log(*contrast.high / *contrast.low) / 2;
  const bool is_hopeless = contrast.outlook && contrast.outlook->more_pairs == 0;
  return is_hopeless && half <= std::log1p(contrast.margin) / 2 && !contrast.over_calls;
}

/// Reasons for which an interval does not count; nothing if it is the interval itself.
std::optional<Reason> obstacle(const Contrast& contrast, const std::string& measure_on) {
  if (contrast.flags.has(stats::Flag::cores_shared))
    return Reason{"other ranks ran on the same cores", "run it with fewer --ranks, so that each has cores of its own"};
  if (contrast.without_stalls)
    return Reason{"stalls decide it: with them the verdict is another one than without them",
                  "look at its slices in the order of time; what stalls it may be part of what you compare"};
  if (contrast.flags.has(stats::Flag::drifting))
    return Reason{"the ratio moved while it was measured",
                  "look at its slices in the order of time, then " + measure_on};
  if (contrast.flags.has(stats::Flag::rare_stalls))
    return Reason{"rare stalls: the typical pair shows no difference, all time together shows one",
                  "look at its slices in the order of time; what stalls it may be part of what you compare"};
  return std::nullopt;
}

/// Whether how many steps a call takes can be an axis of it: most engines have no such calls.
bool reads_calls(const View& view, const Contrast& contrast) {
  return std::ranges::any_of(std::array{contrast.a, contrast.b}, [&](TrialIndex trial) {
    const auto& parameters = view.results.trials[trial.value].parameters;
    return !std::holds_alternative<std::monostate>(parameters[sweep::Param::steps_per_call]);
  });
}

Reason no_interval(const Contrast& contrast, const std::string& measure_on) {
  const std::string why = "no pair of its processes has finished: ";
  if (analysis::has_fixed_slices(contrast))
    return {why + "\"slices\" in \"measure\" gives it too few slices",
            "raise \"slices\" to twice the number of arms at least, or leave it out, so that the time decides"};
  return {why + (stopped_for(contrast, sweep::WhyStopped::interrupted) ? "it was interrupted before"
                                                                       : "its time was up before"),
          "go on measuring: " + measure_on,
          {},
          true};
}

/// Cause and cure of an interval that does not decide, the widest cause first.
Reason reason_of(const View& view, const Contrast& contrast, const std::string& measure_on) {
  if (auto found = obstacle(contrast, measure_on)) return *found;
  if (analysis::has_replicates(contrast) && !(contrast.low && is_at_the_margin(contrast)))
    return undecided_over_replicates(contrast);
  if (!contrast.low) return no_interval(contrast, measure_on);
  if (contrast.one_of_many)
    return {"one difference like this may be chance among so many comparisons", "go on measuring: " + measure_on,
            pairs_text(contrast), true};
  const stats::Range range{std::log(*contrast.low), std::log(*contrast.high)};
  const bool decides = stats::verdict_of(range, std::log1p(contrast.margin)) != stats::Verdict::undecided;
  if (contrast.over_calls && decides)
    return {"known for calls of one length, but not for all lengths that were tried",
            reads_calls(view, contrast)
                ? "name steps_per_call as an axis and compare at the length that you use"
                : "compare at the length that you use: \"steps\" in \"measure\" fixes how many each slice has"};
  if (decides) return {"a verdict needs two pairs of processes", "go on measuring: " + measure_on, {}, true};
  if (is_at_the_margin(contrast))
    return {fmt::format(
                "it is as large as the margin, the difference that does not matter to you ({}): no time decides that",
                margin_text(contrast)),
            "set measure.margin to what matters to you"};
  return {fmt::format("it may differ by more or by less than the margin of {}", margin_text(contrast)),
          "go on measuring: " + measure_on, pairs_text(contrast), true};
}

/// One entry for each status and reason, in the order in which they are met.
class Entries {
 public:
  void add(const std::string& status, const Reason& reason, TrialIndex trial) {
    const auto [entry, is_new] = by_reason_.try_emplace(status + '\n' + reason.why, all_.size());
    if (is_new) all_.push_back({status, reason.why, reason.advice, {}, {}, {}, reason.needs_time});
    all_[entry->second].trials.push_back(trial);
    if (!reason.detail.empty()) all_[entry->second].details.push_back(reason.detail);
  }
  std::vector<Ended> take() { return std::move(all_); }

 private:
  std::vector<Ended> all_;
  std::unordered_map<std::string, std::size_t> by_reason_;
};

}  // namespace

std::vector<Ended> not_decided(const View& view) {
  Entries entries;
  const std::string go_on = measure_on(view.results, view.contrasts);
  for (std::uint32_t i = 0; i < view.results.trials.size(); ++i) {
    const std::string changed = sweep::text_of(view.results.trials[i].facts, sweep::Fact::changed_since);
    if (!changed.empty())
      entries.add("changed since", {changed, "run it without --keep-changed to measure what is there now"},
                  TrialIndex{i});
  }
  for (std::uint32_t i = 0; i < view.results.trials.size(); ++i) {
    const auto& trial = view.results.trials[i];
    const std::string detail = sweep::text_of(trial.facts, sweep::Fact::verified_detail);
    if (view.ratio[i] != nullptr && view.ratio[i]->flags.has(stats::Flag::close_work))
      entries.add(std::string(stats::name_of(stats::Flag::close_work)),
                  {detail, "its ratio may compare slightly different work: compare precision, loss and versions"},
                  TrialIndex{i});
    if (view.ratio[i] != nullptr && view.ratio[i]->flags.has(stats::Flag::other_weights))
      entries.add(
          std::string(stats::name_of(stats::Flag::other_weights)),
          {detail, "to verify it, let both models take the same weights: docs/guide/your-model.md, \"Same work\""},
          TrialIndex{i});
    if (trial.verified != sweep::Verified::no) continue;
    entries.add("not the same work",
                {detail.empty() ? "its losses differ from the baseline's" : detail,
                 "there is no ratio until both do the same: compare precision, loss and versions"},
                TrialIndex{i});
  }
  for (const Contrast& contrast : view.contrasts.contrasts) {
    if (contrast.verdict == stats::Verdict::undecided)
      entries.add("not known yet", reason_of(view, contrast, go_on), contrast.a);
  }
  return entries.take();
}

}  // namespace regatta::report
