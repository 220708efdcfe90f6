#include "regatta/analysis/sessions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

#include "analysis/judging/judge.hpp"
#include "analysis/judging/judging.hpp"
#include "analysis/judging/session_units.hpp"
#include "analysis/sessions/session_checks.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/stats/clones.hpp"
#include "regatta/stats/many_contrasts.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"
#include "regatta/stats/two_samples.hpp"

namespace regatta::analysis {
namespace {

using stats::Verdict;

/// The part of one file that the cells use.
struct Session {
  Judge judge;
  std::vector<TrialUnits> units;
};

Session session_of(const results::Results& results, const sweep::Measure& measure) {
  Judge judge = judge_of(results);
  auto units = session_units(results, judge.options, measure, judge.findings);
  return {std::move(judge), std::move(units)};
}

/// A trial has the same batch in both sessions: time per sample is that of a step.
sweep::Measure measure_of(const results::Results& results) {
  const auto spec = spec_of(results);
  sweep::Measure measure = spec ? spec->measure : sweep::Measure{};
  if (sweep::is_step_time(measure.metric)) measure.metric = sweep::Metric::time_per_step;
  return measure;
}

struct Pair {
  const Session& before;
  const Session& after;
  sweep::Metric metric;
};

results::Env env_of(const results::Results& results, const results::TrialRow& trial) {
  const auto env = static_cast<std::size_t>(trial.env);
  return trial.env >= 0 && env < results.envs.size() ? results.envs[env] : results::Env{};
}

/// Why a trial of both files has no ratio; nothing if it has one.
std::optional<NotCompared> problem(const Pair& pair, TrialIndex in_old, TrialIndex in_new) {
  const auto because = [&](NotComparedReason why, bool is_of_new) {
    return NotCompared{in_old, in_new, why, is_of_new};
  };
  for (const bool is_of_new : {true, false}) {
    const results::TrialRow& row =
        is_of_new ? pair.after.judge.results.trials[in_new.value] : pair.before.judge.results.trials[in_old.value];
    if (!std::holds_alternative<sweep::Finished>(row.outcome))
      return because(NotComparedReason::not_finished, is_of_new);
    if (row.verified == sweep::Verified::no) return because(NotComparedReason::other_work, is_of_new);
  }
  const auto& units_old = pair.before.units[in_old.value];
  const auto& units_new = pair.after.units[in_new.value];
  if (units_old.log_values.empty() || units_new.log_values.empty()) return because(NotComparedReason::no_values, true);
  const auto& starts = units_new.block_starts;
  const bool shared = std::ranges::any_of(
      units_old.block_starts, [&](double start) { return std::ranges::find(starts, start) != starts.end(); });
  return shared ? std::optional(because(NotComparedReason::one_measurement, true)) : std::nullopt;
}

/// The difference between processes of the same code, as far as the units do not show it (R4).
double widening(const Pair& pair, const TrialUnits& units_old, const TrialUnits& units_new,
                const results::TrialRow& trial_old, const results::TrialRow& trial_new) {
  const auto hidden = [](const TrialUnits& units) {
    return units.of_processes ? 0.0 : 1 / static_cast<double>(std::max<std::size_t>(units.processes, 1));
  };
  const double spread = std::max(stats::usual_spread(pair.before.judge.spreads.prior_of(trial_old, trial_old)),
                                 stats::usual_spread(pair.after.judge.spreads.prior_of(trial_new, trial_new)));
  return stats::rules::p95_spreads * spread *
         std::sqrt((hidden(units_old) + hidden(units_new)) / 2);  // an effect is that of two processes
}

/// A cell and what is needed until it is judged.
struct Open {
  SessionCell cell;
  FloorKey key;
  stats::Estimate log_ratio;  ///< widened
  double widening = 0;
};

void take_estimate(Open& open, const TrialUnits& units_old, const TrialUnits& units_new) {
  SessionCell& cell = open.cell;
  open.log_ratio = stats::shift(units_new.log_values, units_old.log_values);
  open.log_ratio.range.low -= open.widening;
  open.log_ratio.range.high += open.widening;
  cell.ratio = std::exp(open.log_ratio.value);
  if (open.log_ratio.range.finite()) {
    cell.low = std::exp(open.log_ratio.range.low);
    cell.high = std::exp(open.log_ratio.range.high);
  }
  cell.old_value = std::exp(stats::median(units_old.log_values));
  cell.new_value = std::exp(stats::median(units_new.log_values));
  cell.old_units = units_old.log_values.size();
  cell.new_units = units_new.log_values.size();
  cell.old_processes = units_old.processes;
  cell.new_processes = units_new.processes;
}

Open open_cell(const Pair& pair, TrialIndex in_old, TrialIndex in_new, const SessionOptions& options) {
  const auto& trial_old = pair.before.judge.results.trials[in_old.value];
  const auto& trial_new = pair.after.judge.results.trials[in_new.value];
  const auto& units_old = pair.before.units[in_old.value];
  const auto& units_new = pair.after.units[in_new.value];
  Open open;
  SessionCell& cell = open.cell;
  cell.metric = pair.metric;
  cell.in_old = in_old;
  cell.in_new = in_new;
  open.key = floor_key(pair.after.judge.results, trial_new);
  open.widening = widening(pair, units_old, units_new, trial_old, trial_new) +
                  std::max(units_old.call_length_misfit, units_new.call_length_misfit);
  take_estimate(open, units_old, units_new);
  cell.margin = options.threshold.value_or(std::max(pair.before.judge.options.margin, pair.after.judge.options.margin));
  const auto env_old = env_of(pair.before.judge.results, trial_old);
  const auto env_new = env_of(pair.after.judge.results, trial_new);
  cell.old_version = env_old.version;
  cell.new_version = env_new.version;
  cell.same_code =
      env_old.name == env_new.name && env_old.engine == env_new.engine && env_old.version == env_new.version;
  const auto either = [&](sweep::Verified state) { return trial_old.verified == state || trial_new.verified == state; };
  cell.verified = sweep::Verified::yes;
  for (const auto state :
       {sweep::Verified::unchecked, sweep::Verified::alone, sweep::Verified::close, sweep::Verified::other_weights})
    if (either(state)) cell.verified = state;
  for (const auto* units : {&units_old, &units_new}) cell.flags.add(units->flags);
  return open;
}

std::vector<Open> open_cells(const Pair& pair, const SessionOptions& options, Sessions& found) {
  std::unordered_map<Hash128, TrialIndex> in_new;
  std::vector<bool> met(pair.after.judge.results.trials.size());
  for (std::uint32_t index = 0; index < met.size(); ++index)
    in_new.emplace(pair.after.judge.results.trials[index].hash, TrialIndex{index});
  std::vector<Open> open;
  for (std::uint32_t index = 0; index < pair.before.judge.results.trials.size(); ++index) {
    const TrialIndex in_old{index};
    const auto other = in_new.find(pair.before.judge.results.trials[index].hash);
    if (other == in_new.end()) {
      found.only_old.push_back(in_old);
      continue;
    }
    met[other->second.value] = true;
    if (const auto why = problem(pair, in_old, other->second))
      found.not_compared.push_back(*why);
    else
      open.push_back(open_cell(pair, in_old, other->second, options));
  }
  for (std::uint32_t index = 0; index < met.size(); ++index) {
    if (!met[index]) found.only_new.push_back(TrialIndex{index});
  }
  return open;
}

/// Whether the ratio is known to within what counts as nothing: noise within sessions teaches nothing about them.
bool is_precise(const Open& open, const SessionOptions& options) {
  const auto& range = open.log_ratio.range;
  const double wanted = std::log1p(std::max(stats::rules::assumed_session_floor, options.threshold.value_or(0)));
  return range.finite() && (range.high - range.low) / 2 <= wanted;
}

/// p95 of |log ratio| of cells in identical code, as a fraction; nothing below 7.
std::optional<double> floor_from(const std::vector<double>& log_ratios) {
  if (log_ratios.size() < stats::rules::least_identical_trials) return std::nullopt;
  return stats::noise_floor(log_ratios);
}

/// `pair_floor`: none where it would be learnt from the very cells that it is to judge.
void set_floor(Open& open, const SessionOptions& options, std::optional<double> pair_floor) {
  SessionCell& cell = open.cell;
  const bool is_of_times = cell.metric == sweep::Metric::time_per_step;  // as earlier floors are
  const auto stored = is_of_times ? options.stored_floor(open.key) : std::nullopt;
  cell.session_floor = pair_floor ? *pair_floor : stored.value_or(stats::rules::assumed_session_floor);
  cell.floor_source = pair_floor ? FloorSource::pair : stored ? FloorSource::stored : FloorSource::assumed;
}

void judge(Open& open, const Pair& pair) {
  SessionCell& cell = open.cell;
  const double delta = std::log1p(cell.indifference());
  cell.verdict = forbid_verdict(cell.flags) ? Verdict::undecided : stats::verdict_of(open.log_ratio.range, delta);
  cell.p_value = stats::shift_p_value(pair.after.units[cell.in_new.value].log_values,
                                      pair.before.units[cell.in_old.value].log_values, delta + open.widening);
}

void count_identical(Sessions& found, const std::vector<Open>& all) {
  for (const Open& open : all) {
    if (open.cell.judged) continue;
    found.identical.add(open.cell.verdict);
  }
}

/// A small difference, where what carries one version was told apart: sessions differ by more than their floor then.
bool is_doubted(const SessionCell& cell, const IdenticalCode& identical) {
  const bool is_difference = cell.verdict == Verdict::faster || cell.verdict == Verdict::slower;
  const double delta = std::log1p(cell.indifference());
  return is_difference && identical.wrong > 0 && std::abs(std::log(cell.ratio)) < stats::rules::doubted_deltas * delta;
}

/// As among the contrasts of one sweep.
void control_discoveries(std::vector<Open>& all, const IdenticalCode& identical) {
  std::vector<double> p_values;
  for (const Open& open : all) {
    if (open.cell.judged) p_values.push_back(open.cell.p_value);
  }
  const auto discovered = stats::benjamini_hochberg(p_values);
  std::size_t next = 0;
  for (Open& open : all) {
    SessionCell& cell = open.cell;
    if (!cell.judged) continue;
    cell.verdict = among_many(cell.verdict, discovered[next++]);
    if (is_doubted(cell, identical)) cell.verdict = Verdict::undecided;
  }
}

/// The floors that these sessions teach. Nothing if cells of identical code were told apart: it may be a rebuild that
/// kept its version.
std::vector<SessionFloor> learnt_from(const std::vector<Open>& all, const SessionOptions& options) {
  std::map<FloorKey, std::vector<double>> log_ratios;
  for (const Open& open : all) {
    const SessionCell& cell = open.cell;
    if (!cell.same_code) continue;
    if (cell.verdict == Verdict::faster || cell.verdict == Verdict::slower) return {};
    if (is_precise(open, options)) log_ratios[open.key].push_back(open.log_ratio.value);
  }
  std::vector<SessionFloor> learnt;
  for (const auto& [key, values] : log_ratios) {
    if (const auto floor = floor_from(values)) learnt.push_back({key, *floor, values.size()});
  }
  return learnt;
}

void judge_all(std::vector<Open>& all, const Pair& pair, const SessionOptions& options, Sessions& found) {
  const auto is_same = [](const Open& open) { return open.cell.same_code; };
  found.all_same_version = std::ranges::all_of(all, is_same);
  std::vector<double> identical;
  for (const Open& open : all) {
    if (is_same(open) && is_precise(open, options)) identical.push_back(open.log_ratio.value);
  }
  if (!found.across) found.pair_floor = floor_from(identical);
  const bool from_others = !found.all_same_version && !found.across;  // a floor of this pair that is no part of it
  for (Open& open : all) {
    open.cell.judged = found.across || found.all_same_version || !open.cell.same_code;
    set_floor(open, options, open.cell.judged && from_others ? found.pair_floor : std::nullopt);
    judge(open, pair);
  }
  count_identical(found, all);
  control_discoveries(all, found.identical);
  if (!found.across && found.metric == sweep::Metric::time_per_step) found.learnt = learnt_from(all, options);
}

}  // namespace

Sessions compare_sessions(const results::Results& old_session, const results::Results& new_session,
                          const SessionOptions& options) {
  refuse_one_session(old_session, new_session);
  Sessions found;
  found.across = differs_in_machine(old_session, new_session, options.across);
  const sweep::Measure measure = measure_of(new_session);
  found.metric = measure.metric;
  const Session before = session_of(old_session, measure);
  const Session after = session_of(new_session, measure);
  const Pair pair{before, after, found.metric};
  auto open = open_cells(pair, options, found);
  if (open.empty() && found.not_compared.empty()) refuse_nothing_in_common(old_session, new_session);
  if (open.empty()) return found;
  judge_all(open, pair, options, found);
  for (Open& each : open) found.cells.push_back(std::move(each.cell));
  return found;
}

}  // namespace regatta::analysis
