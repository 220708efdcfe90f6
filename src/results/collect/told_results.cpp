#include "regatta/results/told_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "regatta/base/error.hpp"
#include "regatta/stats/summaries.hpp"
#include "regatta/sweep/program_results.hpp"

namespace regatta::results {
namespace {

/// None of a text that is no list of results: files come from anywhere.
sweep::ProgramResults results_of(const sweep::Facts& facts) {
  try {
    return sweep::parse_results(sweep::text_of(facts, sweep::Fact::results));
  } catch (const InputError&) {
    return {};
  }
}

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
  const sweep::ProgramResults results = results_of(row.facts);
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

void add_results(TrialRow& row, const sweep::Facts& later) {
  sweep::ProgramResults all = results_of(row.facts);
  sweep::append(all, results_of(later));
  sweep::set(row.facts, sweep::Fact::results, sweep::results_json(all));
}

std::map<std::string, std::string> result_units(std::span<const TrialRow> rows) {
  std::map<std::string, std::string> units;
  for (const TrialRow& row : rows) {
    if (sweep::text_of(row.facts, sweep::Fact::results).empty()) continue;
    for (const auto& [name, result] : results_of(row.facts)) {
      std::string& unit = units.try_emplace(name, "1").first->second;
      if (!result.unit.empty()) unit = result.unit;
    }
  }
  return units;
}

}  // namespace regatta::results
