#include <fmt/format.h>

#include <cmath>
#include <map>

#include "regatta/report/wording.hpp"
#include "regatta/results/told_results.hpp"
#include "report/findings/findings.hpp"
#include "report/findings/summary.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t most_columns = 8;
constexpr std::size_t most_remarks = 5;

}  // namespace

std::vector<ResultColumn> result_columns(const View& view) {
  std::vector<ResultColumn> columns;
  for (const auto& [name, unit] : results::result_units(view.results.trials)) {
    if (columns.size() < most_columns)
      columns.push_back({name, unit == "1" ? name : fmt::format("{} [{}]", name, unit)});
  }
  return columns;
}

std::string result_text(const results::TrialRow& trial, const std::string& name) {
  const auto found = trial.metrics.find(name);
  if (found != trial.metrics.end() && !std::isnan(found->second)) return fmt::format("{:.4g}", found->second);
  const auto& told = sweep::value_of<sweep::ProgramResults>(trial.facts, sweep::Fact::results);
  return told.contains(name) ? "NaN" : std::string(dash);
}

std::vector<std::string> result_remarks(const View& view) {
  std::map<std::string, std::vector<TrialIndex>> trials_of;
  for (std::uint32_t i = 0; i < view.results.trials.size(); ++i) {
    const std::string remark = sweep::text_of(view.results.trials[i].facts, sweep::Fact::result_remarks);
    if (!remark.empty()) trials_of[remark].push_back({i});
  }
  std::vector<std::string> remarks;
  for (const auto& [remark, trials] : trials_of) {
    if (remarks.size() == most_remarks) {
      remarks.push_back(
          fmt::format("{} more remarks on results: the column result_remarks", trials_of.size() - most_remarks));
      break;
    }
    remarks.push_back(fmt::format("results: {}: {}", remark, names_of(view, trials, names_shown)));
  }
  return remarks;
}

}  // namespace regatta::report
