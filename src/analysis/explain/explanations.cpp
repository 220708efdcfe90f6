#include "analysis/explain/explanations.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/judging/block_values.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/slice_values.hpp"
#include "regatta/stats/time_lines.hpp"

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

Explanation explain(const Judge& judge, const Cell& cell) {
  const InterventionRow& unchanged = judge.results.interventions[cell.first];
  Explanation found;
  found.trial = unchanged.trial;
  found.outcome = unchanged.outcome;
  found.verified = unchanged.verified;
  found.verified_detail = unchanged.verified_detail;
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
  return found;
}

}  // namespace

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
