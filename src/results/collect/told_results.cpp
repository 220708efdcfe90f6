#include "regatta/results/told_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "regatta/base/error.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::results {
namespace {

double median_of(const sweep::ProgramResult& result) {
  std::vector<double> told;
  for (const auto& value : result.values) {
    if (value) told.push_back(*value);
  }
  const bool has_nan = std::ranges::any_of(told, [](double value) { return std::isnan(value); });
  return told.empty() || has_nan ? std::numeric_limits<double>::quiet_NaN() : stats::median(std::move(told));
}

bool has_number(const sweep::ProgramResult& result) {
  return std::ranges::any_of(result.values, [](const auto& value) { return value && std::isfinite(*value); });
}

/// A row keeps no number of a failed trial.
void fail(TrialRow& row, const std::string& why) {
  row.outcome = sweep::Failed{sweep::FailureKind::reported, why};
  row.metrics.clear();
  sweep::set(row.facts, sweep::Fact::results, sweep::ProgramResults());
}

}  // namespace

void fill_results(TrialRow& row) {
  const auto& results = sweep::value_of<sweep::ProgramResults>(row.facts, sweep::Fact::results);
  if (std::holds_alternative<sweep::Finished>(row.outcome)) {
    for (const auto& [name, result] : results) {
      if (sweep::may_be_result(name)) row.metrics[name] = median_of(result);
    }
  }
  const std::string remarks = sweep::remarks_on(results);
  if (remarks.empty()) return;
  const std::string told = sweep::text_of(row.facts, sweep::Fact::result_remarks);
  sweep::set(row.facts, sweep::Fact::result_remarks, told.empty() ? remarks : fmt::format("{}; {}", remarks, told));
}

void add_later(TrialRow& row, const sweep::Facts& later) {
  auto results = sweep::value_of<sweep::ProgramResults>(row.facts, sweep::Fact::results);
  try {
    sweep::append(results, sweep::value_of<sweep::ProgramResults>(later, sweep::Fact::results));
  } catch (const InputError& error) {
    return fail(row, error.what());
  }
  sweep::set(row.facts, sweep::Fact::results, std::move(results));
  auto peaks = sweep::value_of<sweep::ProcessPeaks>(row.facts, sweep::Fact::process_peaks);
  const auto& more = sweep::value_of<sweep::ProcessPeaks>(later, sweep::Fact::process_peaks);
  peaks.insert(peaks.end(), more.begin(), more.end());
  sweep::set(row.facts, sweep::Fact::process_peaks, std::move(peaks));
}

void note_units(ResultUnits& units, std::span<const TrialRow> rows) {
  for (const TrialRow& row : rows) {
    if (!std::holds_alternative<sweep::Finished>(row.outcome)) continue;
    for (const auto& [name, result] : sweep::value_of<sweep::ProgramResults>(row.facts, sweep::Fact::results)) {
      if (has_number(result)) units.try_emplace(name, result.unit);
    }
  }
}

void convert_results(TrialRow& row, const ResultUnits& units, const std::string& who) {
  if (!std::holds_alternative<sweep::Finished>(row.outcome)) return;
  const auto& told = sweep::value_of<sweep::ProgramResults>(row.facts, sweep::Fact::results);
  const auto is_other = [&](const auto& result) {
    const auto unit = units.find(result.first);
    return unit != units.end() && unit->second != result.second.unit;
  };
  if (std::ranges::none_of(told, is_other)) return;
  sweep::ProgramResults results = told;
  for (auto& [name, result] : results) {
    const auto unit = units.find(name);
    if (unit == units.end() || unit->second == result.unit) continue;
    try {
      sweep::convert_to(result, name, unit->second);
    } catch (const InputError& error) {
      throw InputError(who.empty() ? error.what() : fmt::format("{} {}", who, error.what()));
    }
    if (row.metrics.contains(name)) row.metrics[name] = median_of(result);
  }
  sweep::set(row.facts, sweep::Fact::results, std::move(results));
}

void unify_result_units(std::span<TrialRow> rows) {
  ResultUnits units;
  note_units(units, rows);
  for (TrialRow& row : rows) {
    try {
      convert_results(row, units);
    } catch (const InputError& error) {
      fail(row, error.what());
    }
  }
}

ResultUnits result_units(std::span<const TrialRow> rows) {
  ResultUnits units;
  for (const TrialRow& row : rows) {
    for (const auto& [name, result] : sweep::value_of<sweep::ProgramResults>(row.facts, sweep::Fact::results)) {
      std::string& unit = units.try_emplace(name, "1").first->second;
      const bool counts = std::holds_alternative<sweep::Finished>(row.outcome);  // others have no number in the column
      if (counts && !result.unit.empty()) unit = result.unit;
    }
  }
  return units;
}

}  // namespace regatta::results
