#include "regatta/results/told_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

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
  sweep::append(results, sweep::value_of<sweep::ProgramResults>(later, sweep::Fact::results));
  sweep::set(row.facts, sweep::Fact::results, std::move(results));
  auto peaks = sweep::value_of<sweep::ProcessPeaks>(row.facts, sweep::Fact::process_peaks);
  const auto& more = sweep::value_of<sweep::ProcessPeaks>(later, sweep::Fact::process_peaks);
  peaks.insert(peaks.end(), more.begin(), more.end());
  sweep::set(row.facts, sweep::Fact::process_peaks, std::move(peaks));
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
