#include "analysis/judging/session_units.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "analysis/judging/block_values.hpp"
#include "analysis/judging/judging.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/stats/quantiles.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/slice_values.hpp"
#include "regatta/stats/two_samples.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/work_per_step.hpp"

namespace regatta::analysis {
namespace {

struct Totals {
  double seconds = 0;
  double steps = 0;
  std::vector<double> calls = {};  ///< where a quantile of single calls is compared
  double quantile = 0;
};

/// By block, and by process or square in it.
using TotalsOf = std::map<std::pair<std::size_t, std::uint32_t>, Totals>;

struct Raw {
  TotalsOf processes;
  TotalsOf squares;
};

void add(Totals& totals, const stats::SliceValue& slice) {
  totals.seconds += slice.seconds;
  totals.steps += slice.work;
  totals.calls.insert(totals.calls.end(), slice.calls.begin(), slice.calls.end());
  totals.quantile = slice.quantile;
}

/// Seconds per step, or the quantile; 0 where there is too little of it.
double value_of(const Totals& totals) {
  if (totals.quantile == 0) return totals.steps > 0 ? totals.seconds / totals.steps : 0;
  const bool enough = totals.calls.size() >= stats::fewest_calls_of_unit(totals.quantile);
  return enough ? stats::median_unbiased_quantile(totals.calls, totals.quantile) : 0;
}

std::vector<double> log_values(const TotalsOf& totals) {
  std::vector<double> values;
  for (const auto& [key, of_unit] : totals) {
    if (const double value = value_of(of_unit); value > 0) values.push_back(std::log(value));
  }
  return values;
}

std::vector<stats::ArmReading> readings_of(const results::Results& results, const results::BlockRow& block,
                                           const sweep::Measure& measure) {
  std::vector<stats::ArmReading> readings;
  for (const TrialIndex arm : block.arms) {
    const sweep::Parameters& parameters = results.trials[arm.value].parameters;
    readings.push_back(sweep::reading_of(measure, parameters, 1, sweep::is_program(parameters)));
  }
  return readings;
}

void take(TrialUnits& units, Raw& raw, std::size_t block, const std::vector<stats::SliceValue>& slices) {
  for (const auto& slice : slices) {
    add(raw.processes[{block, slice.process}], slice);
    add(raw.squares[{block, slice.square}], slice);
    units.disturbed = units.disturbed || slice.flags != 0;
  }
}

void add_findings(TrialUnits& units, const ArmFindings& findings, double delta) {
  units.flags.add(findings.state);
  const double misfit = call_length_misfit(findings);
  if (!(misfit > delta)) return;
  units.call_length_misfit = std::max(units.call_length_misfit, misfit);
  units.flags.add(stats::Flag::call_length);
}

/// Memory has one value of each process, whatever was timed.
void take_processes(Raw& raw, const std::vector<double>& values) {
  for (const stats::SliceValue& value : stats::process_values(values)) add(raw.processes[{0, value.process}], value);
}

void finish(TrialUnits& units, const Raw& raw) {
  units.processes = raw.processes.size();
  units.of_processes = units.processes >= stats::rules::enough_process_pairs;
  units.log_values = log_values(units.of_processes || raw.squares.empty() ? raw.processes : raw.squares);
  if (units.disturbed) units.flags.add(stats::Flag::disturbed);
}

}  // namespace

std::vector<TrialUnits> session_units(const results::Results& results, const stats::JudgeOptions& options,
                                      const sweep::Measure& measure, const std::vector<BlockFindings>& findings) {
  std::vector<TrialUnits> units(results.trials.size());
  std::vector<Raw> raw(results.trials.size());
  const auto samples = samples_by_block(results);
  const Replaced replaced(results);
  for (std::size_t index = 0; index < results.blocks.size(); ++index) {
    const auto& block = results.blocks[index];
    if (samples[index].empty()) continue;
    const auto values = stats::slice_values(samples[index], readings_of(results, block, measure));
    for (std::size_t arm = 0; arm < values.size() - (block.has_clone ? 1 : 0); ++arm) {
      if (values[arm].empty() || replaced.contains(block, arm)) continue;
      const std::size_t trial = block.arms[arm].value;
      units[trial].block_starts.push_back(block.start_wall_seconds);
      units[trial].flags.add(block.flags);
      if (!findings.empty() && sweep::is_step_time(measure.metric))
        add_findings(units[trial], findings[index][arm], stats::indifference(options));
      take(units[trial], raw[trial], index, values[arm]);
    }
  }
  for (std::size_t trial = 0; trial < units.size(); ++trial) {
    units[trial].flags.add(slot_flags(results, results.trials[trial]));
    if (sweep::is_value_of_processes(measure.metric)) {
      raw[trial] = {};
      take_processes(raw[trial], values_of_processes(results.trials[trial].facts, measure));
    }
    finish(units[trial], raw[trial]);
  }
  return units;
}

}  // namespace regatta::analysis
