#include "analysis/explain/explanations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/judging/block_values.hpp"
#include "regatta/base/units.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/slice_values.hpp"
#include "regatta/stats/time_lines.hpp"
#include "regatta/sweep/slot.hpp"

namespace regatta::analysis {
namespace {

using results::InterventionRow;
using sweep::InterventionKind;

/// The rows of one block, and its slices by arm.
struct Cell {
  std::size_t first = 0;  ///< row of Results::interventions that holds the cell as it is
  std::size_t arms = 0;
  BlockValues values;
};

std::vector<Cell> cells_of(const results::Results& results) {
  std::vector<Cell> cells;
  std::vector<std::size_t> cell_of_row;
  for (std::size_t row = 0; row < results.interventions.size(); ++row) {
    const bool is_new = cells.empty() || results.interventions[row].block != results.interventions[row - 1].block;
    if (is_new) cells.push_back({row, 0, {}});
    ++cells.back().arms;
    cell_of_row.push_back(cells.size() - 1);
  }
  std::vector<std::vector<stats::Sample>> samples(cells.size());
  for (const auto& sample : results.intervention_samples) samples[cell_of_row[sample.row]].push_back(sample.sample);
  for (std::size_t i = 0; i < cells.size(); ++i)
    cells[i].values = stats::slice_values(samples[i], std::vector<stats::ArmReading>(cells[i].arms));
  return cells;
}

double mean_step_seconds(const std::vector<stats::SliceValue>& slices) {
  double seconds = 0;
  double steps = 0;
  for (const auto& slice : slices) {
    seconds += slice.seconds;
    steps += slice.work;
  }
  return steps > 0 ? seconds / steps : std::numeric_limits<double>::quiet_NaN();
}

/// Whether its slices tell anything.
bool counts(const InterventionRow& row) {
  return std::holds_alternative<sweep::Finished>(row.outcome) && row.verified != sweep::Verified::no;
}

void judge_change(ChangedCell& change, const Cell& cell, std::size_t arm, const stats::JudgeOptions& options) {
  const auto judgement = stats::judge({cell.values[arm], cell.values.front()}, options);
  if (!std::isfinite(judgement.estimate)) return;
  change.step_seconds = mean_step_seconds(cell.values[arm]);
  change.ratio = std::exp(judgement.estimate);
  change.removed_seconds = mean_step_seconds(cell.values.front()) * (1 - change.ratio);
  if (std::isfinite(judgement.low) && std::isfinite(judgement.high) && judgement.low <= judgement.high) {
    change.low = std::exp(judgement.low);
    change.high = std::exp(judgement.high);
  }
  change.squares = static_cast<std::int64_t>(judgement.squares);
  change.processes = 2 * static_cast<std::int64_t>(judgement.process_pairs);
  change.verdict = judgement.verdict;
  change.flags = judgement.flags;
}

/// The batch that an arm ran with, if it tells a point of the line.
std::optional<double> batch_on_line(const Judge& judge, const InterventionRow& row) {
  const bool on_line =
      row.intervention.kind == InterventionKind::unchanged || row.intervention.kind == InterventionKind::batch;
  const auto batch =
      sweep::batch_of(sweep::changed(judge.results.trials[row.trial.value].parameters, row.intervention));
  if (!on_line || !counts(row) || !batch) return std::nullopt;
  return static_cast<double>(*batch);
}

struct Work {
  double seconds = 0;
  double steps = 0;
};

/// For each square, or each process of the cell where there are enough: the totals of each batch.
using WorkByUnit = std::map<std::uint32_t, std::map<double, Work>>;

std::optional<CallsLine> line_of(const Judge& judge, const Cell& cell, const stats::JudgeOptions& options) {
  std::map<std::uint32_t, std::uint32_t> process_of_square;
  std::set<std::uint32_t> processes;
  for (const auto& slice : cell.values.front()) {
    process_of_square[slice.square] = slice.process;
    processes.insert(slice.process);
  }
  const bool by_process = processes.size() >= stats::rules::enough_process_pairs;
  WorkByUnit units;
  std::set<double> batches;
  for (std::size_t arm = 0; arm < cell.arms; ++arm) {
    const auto batch = batch_on_line(judge, judge.results.interventions[cell.first + arm]);
    if (!batch) continue;
    batches.insert(*batch);
    for (const auto& slice : cell.values[arm]) {
      const auto process = process_of_square.find(slice.square);
      if (process == process_of_square.end()) continue;
      Work& work = units[by_process ? process->second : slice.square][*batch];
      work.seconds += slice.seconds;
      work.steps += slice.work;
    }
  }
  std::vector<stats::BatchTimes> lines;
  for (const auto& [unit, by_batch] : units) {
    if (by_batch.size() < batches.size()) continue;  // an arm that was decided had left
    stats::BatchTimes& line = lines.emplace_back();
    for (const auto& [batch, work] : by_batch) line.push_back({batch, work.seconds / work.steps});
  }
  const double shared =
      by_process || processes.empty()
          ? 0
          : stats::rules::p95_spreads * stats::usual_spread(options.prior) / std::sqrt(processes.size());
  const auto fit = stats::fit_calls_and_rows(lines, options.alpha, shared);
  if (!fit) return std::nullopt;
  CallsLine line{fit->calls_seconds.value, {}, {}, fit->seconds_per_row, fit->misfit, {batches.begin(), batches.end()}};
  const stats::Range& range = fit->calls_seconds.range;
  if (range.finite() && !range.empty()) {
    line.low = range.low;
    line.high = range.high;
  }
  return line;
}

std::string percent_digits(double fraction) {
  const double size = std::abs(100 * fraction);
  return size < 9.95 ? fmt::format("{:+.1f}", 100 * fraction) : fmt::format("{:+.0f}", 100 * fraction);
}

/// What keeps an interval from being a verdict, however clear it looks.
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

/// What one change says, or why it says nothing; empty for other batches, which the line speaks for.
std::string sentence(const ChangedCell& change) {
  if (change.intervention.kind == InterventionKind::batch) return {};
  const std::string what = change_text(change.intervention, std::nullopt);
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

std::string text_of(const Explanation& explanation, bool on_device) {
  if (!std::holds_alternative<sweep::Finished>(explanation.outcome)) {
    const std::string reason = sweep::reason_of(explanation.outcome);
    return std::string("not explained: ") + sweep::status_of(explanation.outcome) +
           (reason.empty() ? "" : ": " + reason);
  }
  std::vector<std::string> parts;
  const auto by_engine = [](const ChangedCell& change) { return sweep::needs_engine(change.intervention.kind); };
  if (std::ranges::all_of(explanation.changes,
                          [&](const auto& change) { return !by_engine(change) || is_skipped(change); })) {
    parts.emplace_back("this engine offers no interventions");
  } else {
    for (const ChangedCell& change : explanation.changes) {
      if (std::string part = sentence(change); !part.empty()) parts.push_back(std::move(part));
      if (!on_device || change.intervention.kind != InterventionKind::kernels_emptied) continue;
      if (std::string part = launches_text(change); !part.empty()) parts.push_back(std::move(part));
    }
  }
  if (explanation.line) parts.push_back("a step = " + line_text(*explanation.line));
  return fmt::format("{}", fmt::join(parts, "; "));
}

Explanation explain(const Judge& judge, const Cell& cell) {
  const InterventionRow& unchanged = judge.results.interventions[cell.first];
  Explanation found;
  found.trial = unchanged.trial;
  found.outcome = unchanged.outcome;
  found.step_seconds = mean_step_seconds(cell.values.front());
  const results::TrialRow& trial = judge.results.trials[unchanged.trial.value];
  const auto options = judge.options_for(trial, trial);
  for (std::size_t arm = 1; arm < cell.arms; ++arm) {
    const InterventionRow& row = judge.results.interventions[cell.first + arm];
    ChangedCell change;
    change.intervention = row.intervention;
    change.outcome = row.outcome;
    change.verified = row.verified;
    if (counts(unchanged) && counts(row)) judge_change(change, cell, arm, options);
    found.changes.push_back(std::move(change));
  }
  if (counts(unchanged)) found.line = line_of(judge, cell, options);
  const bool is_refused = unchanged.verified == sweep::Verified::no;
  const bool on_device = sweep::device_kind_of(trial.parameters) != sweep::DeviceKind::cpu;
  found.text = is_refused ? "not explained: " + unchanged.verified_detail : text_of(found, on_device);
  return found;
}

}  // namespace

std::string change_text(const sweep::Intervention& intervention, std::optional<std::int64_t> batch) {
  switch (intervention.kind) {
    case InterventionKind::input_resident:
      return "removing input copies";
    case InterventionKind::kernels_emptied:
      return "emptying the kernels";
    case InterventionKind::exchange_off:
      return "exchanging no gradients";
    case InterventionKind::batch:
      return fmt::format("batch {}{}", intervention.batch, batch ? fmt::format(" instead of {}", *batch) : "");
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

std::vector<Explanation> explanations(const Judge& judge) {
  std::vector<Explanation> found;
  for (const Cell& cell : cells_of(judge.results)) found.push_back(explain(judge, cell));
  return found;
}

void write_explanations(results::Results& results, const std::vector<Explanation>& explanations) {
  std::size_t row = 0;
  for (const Explanation& explanation : explanations) {
    InterventionRow& unchanged = results.interventions[row++];
    unchanged.step_seconds = explanation.step_seconds;
    if (const auto& line = explanation.line) {
      unchanged.calls_seconds = line->calls_seconds;
      unchanged.calls_low = line->low.value_or(InterventionRow::unknown);
      unchanged.calls_high = line->high.value_or(InterventionRow::unknown);
      unchanged.seconds_per_row = line->seconds_per_row;
      unchanged.misfit = line->misfit;
    }
    for (const ChangedCell& change : explanation.changes) {
      InterventionRow& changed = results.interventions[row++];
      changed.step_seconds = change.step_seconds;
      changed.ratio = change.ratio;
      changed.low = change.low.value_or(InterventionRow::unknown);
      changed.high = change.high.value_or(InterventionRow::unknown);
      changed.removed_seconds = change.removed_seconds;
      changed.squares = change.squares;
      changed.processes = change.processes;
      changed.verdict = std::isfinite(change.ratio) ? stats::verdict_name(change.verdict) : "";
      changed.flags = stats::text_of(change.flags);
    }
  }
}

}  // namespace regatta::analysis
