#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "regatta/report/text.hpp"
#include "regatta/report/wording.hpp"
#include "report/findings/findings.hpp"
#include "report/terminal/setting_columns.hpp"
#include "report/terminal/terminal.hpp"
#include "report/terminal/text_table.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t value_columns = 32;  // widest value: a quantile with its interval

bool is_listed(const View& view, TrialIndex index) {
  if (view.contrasts.contrasts.empty()) return true;
  const bool finished = std::holds_alternative<sweep::Finished>(view.results.trials[index.value].outcome);
  return finished && view.ratio[index.value] == nullptr && !view.is_baseline[index.value];
}

/// The listed trials by heading, then by group.
std::vector<TrialIndex> listed_trials(const View& view) {
  std::vector<std::vector<TrialIndex>> by_heading;
  std::unordered_map<std::string, std::size_t> index;
  for (const auto& group : view.groups) {
    const auto [entry, is_new] = index.try_emplace(heading_of(view, group.trials.front()), by_heading.size());
    if (is_new) by_heading.emplace_back();
    auto& list = by_heading[entry->second];
    std::ranges::copy_if(group.trials, std::back_inserter(list),
                         [&](TrialIndex trial) { return is_listed(view, trial); });
  }
  std::vector<TrialIndex> order;
  for (const auto& list : by_heading) order.insert(order.end(), list.begin(), list.end());
  return order;
}

template <class Text>
Column column(std::string header, bool right, int dispensable, const std::vector<TrialIndex>& trials, Text text) {
  Column made{std::move(header), right, dispensable, {}, {}};
  for (const TrialIndex trial : trials) made.cells.push_back(clip(clean(text(trial)), value_columns));
  return made;
}

/// The median, or how the trial ended without one.
std::string step_cell(const View& view, TrialIndex index) {
  const auto& trial = view.results.trials[index.value];
  if (!std::holds_alternative<sweep::Finished>(trial.outcome)) return sweep::status_of(trial.outcome);
  return duration_text(analysis::metric(trial, "step_time"));
}

/// Where each trial has a setting of its own, all axes are columns: `in_rows`.
std::vector<Column> columns_of(const View& view, const std::vector<TrialIndex>& trials, bool in_rows,
                               bool with_details) {
  auto columns = in_rows ? std::vector<Column>() : setting_columns(view, trials);
  for (const auto& param : in_rows ? table_axes(view) : arm_axes(view)) {
    const bool is_number = sweep::is_number(sweep::info(param));
    columns.push_back(
        column(std::string(sweep::name_of(param)), is_number, 0, trials, [&view, param](TrialIndex index) {
          return sweep::to_text(view.results.trials[index.value].parameters[param]);
        }));
  }
  const auto value = [&](TrialIndex index, const char* name) {
    return analysis::metric(view.results.trials[index.value], name);
  };
  const auto time = [&](const char* header, const char* name, int dispensable) {
    columns.push_back(column(header, true, dispensable, trials,
                             [&, name](TrialIndex index) { return duration_text(value(index, name)); }));
  };
  for (const ResultColumn& result : result_columns(view))
    columns.push_back(column(clean(result.header), true, 0, trials, [&](TrialIndex index) {
      return result_text(view.results.trials[index.value], result.name);
    }));
  columns.push_back(column(runs_programs(view) ? "time" : "step", true, 0, trials,
                           [&](TrialIndex index) { return step_cell(view, index); }));
  if (!with_details) return columns;
  time("mean", "step_time_mean", 2);
  for (const auto& [header, metric] : quantile_columns(view))
    columns.push_back(column(header, true, 3, trials, [&view, metric](TrialIndex index) {
      return quantile_text(view.results.trials[index.value], metric);
    }));
  if (any_has(view, "samples_per_second"))
    columns.push_back(column("samples/s", true, 1, trials,
                             [&](TrialIndex index) { return rate_text(value(index, "samples_per_second")); }));
  return columns;
}

}  // namespace

std::string trial_table(const View& view, const TerminalOptions& options, const Style& style) {
  auto trials = listed_trials(view);
  if (trials.empty()) return {};
  const std::size_t all = trials.size();
  trials.resize(std::min(all, static_cast<std::size_t>(std::max(options.most_rows, 0))));
  const auto terminal_columns = static_cast<std::size_t>(std::max(options.columns, 20));
  bool in_rows = each_stands_alone(view);
  auto columns = columns_of(view, trials, in_rows, options.details);
  fit(columns, terminal_columns);
  if (in_rows && total_width(columns) > terminal_columns) {  // then words stand above their rows
    in_rows = false;
    columns = columns_of(view, trials, in_rows, options.details);
    fit(columns, terminal_columns);
  }
  const auto lines = lines_of(columns);
  std::string out = '\n' + style.bold(view.contrasts.contrasts.empty() ? "All trials" : "Without a ratio") + '\n' +
                    lines.front() + '\n';
  std::string heading;
  for (std::size_t row = 0; row < trials.size(); ++row) {
    const std::string next = in_rows ? "" : heading_of(view, trials[row]);
    if (next != heading) out += style.bold(clip(clean(next), terminal_columns)) + '\n';
    heading = next;
    out += lines[row + 1] + '\n';
  }
  if (trials.size() < all) out += fmt::format("... {} more trials, all in the result file\n", all - trials.size());
  return out;
}

}  // namespace regatta::report
