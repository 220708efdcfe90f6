#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "commands/commands.hpp"
#include "commands/printing.hpp"
#include "commands/run_folder.hpp"
#include "regatta/analysis/contrasts.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/base/log.hpp"
#include "regatta/report/export.hpp"
#include "regatta/results/file.hpp"
#include "regatta/results/query.hpp"
#include "run/outputs.hpp"

namespace regatta::launcher {
namespace {

/// The axes that comparisons are told over.
std::vector<sweep::Param> replicate_axes(const analysis::Contrasts& contrasts) {
  std::vector<sweep::Param> axes;
  for (const analysis::Contrast& contrast : contrasts.contrasts)
    axes.insert(axes.end(), contrast.replicate_axes.begin(), contrast.replicate_axes.end());
  return axes;
}

/// What a person wants to see first: id, what varies, and the numbers. `replicates`: axes that the rows are over.
std::vector<std::string> usual_columns(const results::Results& results, const std::string& table,
                                       const std::vector<sweep::Param>& replicates) {
  std::vector<std::string> columns = {"trial_hash"};
  const analysis::Axes axes = analysis::axes_of(results);
  const auto add = [&](const std::vector<sweep::Param>& params, const std::string& prefix) {
    for (const sweep::Param param : params) columns.push_back(prefix + std::string(sweep::name_of(param)));
  };
  add(axes.arm, "");
  std::vector<sweep::Param> settings = axes.stratum;
  std::erase_if(settings, [&](const sweep::Param& param) { return std::ranges::count(replicates, param) > 0; });
  add(settings, "");
  if (table == "trials" && !results.legs.empty()) {
    columns.emplace_back("status");
    std::set<std::string> learned;
    for (const results::TrialRow& row : results.trials) {
      for (const auto& [name, value] : row.metrics) learned.insert(name);
    }
    columns.insert(columns.end(), learned.begin(), learned.end());
  } else if (table == "contrasts") {
    add(axes.arm, "baseline_");
    const auto is_difference = [](const results::ContrastRow& row) { return std::isfinite(row.difference); };
    const bool has_differences = std::ranges::any_of(results.contrasts, is_difference);
    const bool has_ratios = !std::ranges::all_of(results.contrasts, is_difference) || results.contrasts.empty();
    columns.emplace_back("verdict");
    if (has_ratios) columns.emplace_back("ratio");
    if (has_differences) columns.emplace_back("difference");
    columns.insert(columns.end(), {"low", "high"});
    if (!replicates.empty()) columns.emplace_back("replicates");
  } else {
    columns.insert(columns.end(), {"status", "step_time", "samples_per_second", "verified"});
  }
  return columns;
}

}  // namespace

int query(const QueryArguments& arguments) {
  expect_results(arguments.file);
  warn_if_outdated(arguments.file);
  results::Results results = results::read_results(arguments.file);
  const std::string name = arguments.contrasts ? "contrasts" : "trials";
  std::vector<sweep::Param> replicates;
  if (arguments.contrasts) {
    const analysis::Contrasts contrasts = analysis::contrasts(results);
    results.contrasts = analysis::contrast_rows(contrasts);
    replicates = replicate_axes(contrasts);
  }
  const bool as_wanted = arguments.json || !arguments.columns.empty();
  const results::Table table = select(
      results::make_table(results, name),
      {arguments.conditions, as_wanted ? arguments.columns : usual_columns(results, name, replicates), arguments.sort});
  if (arguments.json) {
    fmt::print("{}", report::json_table(table));
  } else {
    report::TerminalOptions options = terminal_options();
    options.most_rows = std::numeric_limits<int>::max();
    if (as_wanted) options.columns = std::numeric_limits<int>::max();  // who names columns wants to see them
    fmt::print("{}", report::terminal_table(table, options));
  }
  if (table.rows.empty() && !tell_other_tables(results, name)) log::info("no row fits the conditions");
  return 0;
}

}  // namespace regatta::launcher
