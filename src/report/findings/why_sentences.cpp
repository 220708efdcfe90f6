#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "regatta/analysis/growth.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/base/units.hpp"
#include "regatta/report/wording.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/sweep/slot.hpp"
#include "report/findings/findings.hpp"

namespace regatta::report {
namespace {

using analysis::CallCost;
using analysis::CallsLine;
using analysis::ChangedCell;
using analysis::Explanation;
using sweep::InterventionKind;

std::string percent_digits(double fraction) {
  const double size = std::abs(100 * fraction);
  return size < 9.95 ? fmt::format("{:+.1f}", 100 * fraction) : fmt::format("{:+.0f}", 100 * fraction);
}

/// Reasons why an interval is no verdict, however clear it looks.
std::string obstacles(const ChangedCell& change) {
  std::string text;
  for (const auto flag : {stats::Flag::drifting, stats::Flag::stalls}) {
    if (change.flags.has(flag)) text += fmt::format(": {}", stats::name_of(flag));
  }
  return text;
}

std::string verdict_note(const ChangedCell& change) {
  if (change.verdict == stats::Verdict::same) return " (same)";
  return change.verdict == stats::Verdict::undecided ? " (not known yet" + obstacles(change) + ")" : "";
}

/// The time that one change removes, or why that is not known. Empty for other batches, which are points of the line.
std::string change_sentence(const ChangedCell& change) {
  if (change.intervention.kind == InterventionKind::batch) return {};
  const std::string what = change_text(change.intervention);
  if (std::holds_alternative<sweep::Skipped>(change.outcome)) return what + ": not offered by this engine";
  if (!std::holds_alternative<sweep::Finished>(change.outcome))
    return fmt::format("{}: {}", what, sweep::status_of(change.outcome));
  if (!std::isfinite(change.ratio)) return what + ": not enough squares";
  return fmt::format("{}: {}{}", what, removed_text(change.ratio, change.low, change.high), verdict_note(change));
}

/// The part of a step on a device that is left where its kernels compute nothing: launches, and what the host does.
/// "launch-bound: 78 % of the step [76, 80]"; empty where that was not measured.
std::string launches_text(const ChangedCell& emptied) {
  constexpr double half = 0.5;
  if (!std::isfinite(emptied.ratio)) return {};
  const auto percent = [](double share) { return fmt::format("{:.0f}", 100 * share); };
  std::string text = percent(emptied.ratio) + " % of the step";
  if (!emptied.low || !emptied.high) return "launches: " + text;
  text += fmt::format(" [{}, {}]", percent(*emptied.low), percent(*emptied.high));
  if (emptied.verdict == stats::Verdict::undecided) return "launches: " + text;
  if (*emptied.low > half) return "launch-bound: " + text;
  return (*emptied.high < half ? "not launch-bound: " : "launches: ") + text;
}

bool is_skipped(const ChangedCell& change) { return std::holds_alternative<sweep::Skipped>(change.outcome); }

/// The share of calls in a step of this batch.
std::string share_text(const CallCost& cost, double batch) {
  const double share = cost.calls_seconds / (cost.calls_seconds + cost.seconds_per_row * batch);
  return fmt::format("{:.0f} %", 100 * share);
}

}  // namespace

std::string explanation_sentence(const View& view, const Explanation& explanation) {
  if (explanation.verified == sweep::Verified::no) return "not explained: " + explanation.verified_detail;
  if (!std::holds_alternative<sweep::Finished>(explanation.outcome)) {
    const std::string reason = sweep::reason_of(explanation.outcome);
    return std::string("not explained: ") + sweep::status_of(explanation.outcome) +
           (reason.empty() ? "" : ": " + reason);
  }
  const sweep::Parameters& parameters = view.results.trials[explanation.trial.value].parameters;
  const bool on_device = sweep::device_kind_of(parameters) != sweep::DeviceKind::cpu;
  std::vector<std::string> parts;
  const auto by_engine = [](const ChangedCell& change) { return sweep::needs_engine(change.intervention.kind); };
  if (std::ranges::all_of(explanation.changes,
                          [&](const auto& change) { return !by_engine(change) || is_skipped(change); })) {
    parts.emplace_back("this engine offers no interventions");
  } else {
    for (const ChangedCell& change : explanation.changes) {
      if (std::string part = change_sentence(change); !part.empty()) parts.push_back(std::move(part));
      if (!on_device || change.intervention.kind != InterventionKind::kernels_emptied) continue;
      if (std::string part = launches_text(change); !part.empty()) parts.push_back(std::move(part));
    }
  }
  if (explanation.line) parts.push_back("a step = " + line_text(*explanation.line));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string change_text(const sweep::Intervention& intervention) {
  switch (intervention.kind) {
    case InterventionKind::input_resident:
      return "removing input copies";
    case InterventionKind::kernels_emptied:
      return "emptying the kernels";
    case InterventionKind::exchange_off:
      return "exchanging no gradients";
    case InterventionKind::batch:
      return fmt::format("batch {}", intervention.batch);
    case InterventionKind::unchanged:
      break;
  }
  return "as it is";
}

std::string removed_text(double ratio, std::optional<double> low, std::optional<double> high) {
  std::string text = percent_digits(ratio - 1) + " %";
  if (low && high) text += fmt::format(" [{}, {}]", percent_digits(*low - 1), percent_digits(*high - 1));
  return text;
}

std::string line_text(const CallsLine& line) {
  std::string text = format_duration(line.calls_seconds);
  if (line.low && line.high) text += fmt::format(" [{}, {}]", format_duration(*line.low), format_duration(*line.high));
  text += fmt::format(" of calls, whatever the batch, + {} a row", format_duration(line.seconds_per_row));
  if (line.misfit > stats::rules::most_misfit)
    text += fmt::format(" (bent: the line misses by {:.0f} %)", 100 * std::expm1(line.misfit));
  return text;
}

std::string call_cost_sentence(const CallCost& cost) {
  const CallsLine line{cost.calls_seconds, {}, {}, cost.seconds_per_row, cost.misfit, {}};
  const std::string who = cost.arm + (cost.where.empty() ? "" : " (" + cost.where + ")");
  if (cost.misfit > stats::rules::most_misfit)  // parts of a bent line are no causes
    return fmt::format("{}: about {} of each step are call overhead and {} a row; this line misses by up to {:.0f} %",
                       who, duration_text(cost.calls_seconds), duration_text(cost.seconds_per_row),
                       100 * std::expm1(cost.misfit));
  return fmt::format("{} spends {} of each step on call overhead: {} of the step at batch {:g}, {} at batch {:g}", who,
                     duration_text(cost.calls_seconds), share_text(cost, cost.smallest_batch), cost.smallest_batch,
                     share_text(cost, cost.largest_batch), cost.largest_batch);
}

std::vector<std::string> cause_sentences(const View& view, std::size_t most) {
  std::vector<std::string> sentences;
  if (!view.explanations.empty()) {
    for (std::size_t i = 0; i < std::min(view.explanations.size(), most); ++i) {
      const auto& parameters = view.results.trials[view.explanations[i].trial.value].parameters;
      sentences.push_back(analysis::trial_label(parameters, view.axes) + ": " +
                          explanation_sentence(view, view.explanations[i]));
    }
    return sentences;
  }
  const auto growth = analysis::growth(view.results, view.axes);
  if (!growth) return sentences;
  const auto costs = analysis::call_costs(*growth);
  for (std::size_t i = 0; i < std::min(costs.size(), most); ++i) sentences.push_back(call_cost_sentence(costs[i]));
  return sentences;
}

}  // namespace regatta::report
