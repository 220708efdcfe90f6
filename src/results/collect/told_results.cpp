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

/// By name, of finished rows: the unit that the first row tells its numbers in.
std::map<std::string, std::string> first_units(std::span<const TrialRow> rows) {
  std::map<std::string, std::string> units;
  for (const TrialRow& row : rows) {
    if (!std::holds_alternative<sweep::Finished>(row.outcome)) continue;
    for (const auto& [name, result] : sweep::value_of<sweep::ProgramResults>(row.facts, sweep::Fact::results)) {
      if (has_number(result)) units.try_emplace(name, result.unit);
    }
  }
  return units;
}

/// A row keeps no number of a failed trial.
void fail(TrialRow& row, const std::string& why) {
  row.outcome = sweep::Failed{sweep::FailureKind::reported, why};
  row.metrics.clear();
  sweep::set(row.facts, sweep::Fact::results, sweep::ProgramResults());
}

/// Whether numbers changed.
bool convert_all(sweep::ProgramResults& results, const std::map<std::string, std::string>& units) {
  bool is_changed = false;
  for (auto& [name, result] : results) {
    const auto unit = units.find(name);
    if (unit == units.end() || unit->second == result.unit) continue;
    sweep::convert_to(result, name, unit->second);
    is_changed = true;
  }
  return is_changed;
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

void unify_result_units(std::span<TrialRow> rows) {
  const auto units = first_units(rows);
  for (TrialRow& row : rows) {
    if (!std::holds_alternative<sweep::Finished>(row.outcome)) continue;
    auto results = sweep::value_of<sweep::ProgramResults>(row.facts, sweep::Fact::results);
    try {
      if (!convert_all(results, units)) continue;
    } catch (const InputError& error) {
      fail(row, error.what());
      continue;
    }
    for (const auto& [name, result] : results) {
      if (row.metrics.contains(name)) row.metrics[name] = median_of(result);
    }
    sweep::set(row.facts, sweep::Fact::results, std::move(results));
  }
}

void expect_like_units(std::span<const TrialRow> first, std::span<const TrialRow> rows, const std::string& files) {
  const auto units = first_units(first);
  for (const TrialRow& row : rows) {
    auto results = sweep::value_of<sweep::ProgramResults>(row.facts, sweep::Fact::results);
    try {
      convert_all(results, units);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{} {}", files, error.what()));
    }
  }
}

std::map<std::string, std::string> result_units(std::span<const TrialRow> rows) {
  std::map<std::string, std::string> units;
  for (const TrialRow& row : rows) {
    for (const auto& [name, result] : sweep::value_of<sweep::ProgramResults>(row.facts, sweep::Fact::results)) {
      std::string& unit = units.try_emplace(name, "1").first->second;
      if (!result.unit.empty()) unit = result.unit;
    }
  }
  return units;
}

}  // namespace regatta::results
