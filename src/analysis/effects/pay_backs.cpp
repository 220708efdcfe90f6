#include "analysis/effects/pay_backs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "regatta/analysis/wording.hpp"
#include "regatta/stats/break_even.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::analysis {
namespace {

/// First steps of the fresh processes of each trial, clones left out.
std::vector<std::vector<double>> first_steps(const results::Results& results) {
  std::vector<std::vector<double>> seconds(results.trials.size());
  for (const auto& row : results.samples) {
    const auto& block = results.blocks[row.block.value];
    const bool is_clone = block.has_clone && row.sample.arm + std::size_t{1} == block.arms.size();
    if (row.sample.phase != stats::Phase::first || row.sample.rank != 0 || row.sample.steps == 0 || is_clone) continue;
    seconds[row.trial.value].push_back(row.sample.seconds / row.sample.steps);
  }
  return seconds;
}

/// Building and the first step; its range has no ends below 7 processes.
std::optional<stats::Estimate> cold(const results::TrialRow& trial, const std::vector<double>& firsts) {
  const auto prepare = metric(trial, "prepare_time");
  if (!prepare || firsts.empty()) return std::nullopt;
  const auto first = stats::cold_start(firsts).value_or(stats::Estimate{stats::median(firsts), {}});
  return stats::Estimate{*prepare + first.value, {*prepare + first.range.low, *prepare + first.range.high}};
}

stats::Estimate exactly(double value) { return {value, {value, value}}; }

std::string steps_text(double steps) {
  if (!std::isfinite(steps)) return "never";
  return steps < 1e5 ? fmt::format("{:.0f}", std::ceil(steps * (1 - 1e-9))) : fmt::format("{:.2g}", steps);
}

std::string sentence(const PayBack& paid, const std::string& starter, const std::string& other,
                     const std::string& where, const stats::Estimate& cold_starter, const stats::Estimate& cold_other) {
  std::string text = fmt::format("{} starts in {}, {} in {}", starter, duration_text(cold_starter.value), other,
                                 duration_text(cold_other.value));
  if (!where.empty()) text += " at " + where;
  text += paid.never ? ": never pays back" : fmt::format(": pays back after {} steps", steps_text(paid.steps));
  if (paid.low && paid.high) {
    if (!paid.never) text += fmt::format(" [{}, {}]", steps_text(*paid.low), steps_text(*paid.high));
    return text;
  }
  return text + fmt::format(" (n = {}, no interval)", paid.processes);
}

/// An arm of a contrast, as it starts and goes on.
struct Runner {
  TrialIndex trial;
  stats::Estimate cold;
  stats::Estimate step;
  std::size_t processes;
};

PayBack pay_back(const Runner& starter, const Runner& other) {
  const auto even = stats::break_even(starter.cold, other.cold, starter.step, other.step);
  PayBack paid;
  paid.starter = starter.trial;
  paid.other = other.trial;
  paid.never = even.never;
  paid.processes = std::min(starter.processes, other.processes);
  paid.steps = even.steps.value;
  paid.starter_cold = starter.cold;
  paid.other_cold = other.cold;
  paid.starter_step = starter.step.value;
  paid.other_step = other.step.value;
  if (starter.cold.range.finite() && other.cold.range.finite()) {
    paid.low = even.steps.range.low;
    paid.high = even.steps.range.high;
  }
  return paid;
}

/// A slower start that buys nothing is a question only where it is the price of another mode.
bool is_question(const PayBack& paid, const results::Results& results) {
  if (!paid.never) return true;
  const auto& starter = results.trials[paid.starter.value].parameters;
  const auto& other = results.trials[paid.other.value].parameters;
  return starter[sweep::Param::engine] == other[sweep::Param::engine] &&
         starter[sweep::Param::mode] == sweep::Value(std::string("graph"));
}

}  // namespace

std::vector<PayBack> pay_backs_of(const results::Results& results, const Contrasts& contrasts, const Axes& axes) {
  const auto firsts = first_steps(results);
  std::vector<PayBack> found;
  for (const Contrast& contrast : contrasts.contrasts) {
    const auto& row_a = results.trials[contrast.a.value];
    const auto& row_b = results.trials[contrast.b.value];
    const auto cold_a = cold(row_a, firsts[contrast.a.value]);
    const auto cold_b = cold(row_b, firsts[contrast.b.value]);
    const auto step_b = metric(row_b, "step_time_mean");
    const auto ratio = log_estimate(contrast);
    if (!cold_a || !cold_b || !step_b || !ratio || contrast.metric != sweep::Metric::time_per_step) continue;
    const Runner b{contrast.b, *cold_b, exactly(*step_b), firsts[contrast.b.value].size()};
    const Runner a{contrast.a,
                   *cold_a,
                   {*step_b * contrast.ratio, {*step_b * *contrast.low, *step_b * *contrast.high}},
                   firsts[contrast.a.value].size()};
    const bool a_starts_slower = cold_a->value > cold_b->value;
    const Runner& starter = a_starts_slower ? a : b;
    const Runner& other = a_starts_slower ? b : a;
    PayBack paid = pay_back(starter, other);
    if (!is_question(paid, results)) continue;
    const auto name = [&](const Runner& runner) {
      return label(results.trials[runner.trial.value].parameters, axes.arm);
    };
    paid.text =
        sentence(paid, name(starter), name(other), label(row_b.parameters, axes.stratum), starter.cold, other.cold);
    found.push_back(std::move(paid));
  }
  return found;
}

}  // namespace regatta::analysis
