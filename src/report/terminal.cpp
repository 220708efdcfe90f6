#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>

#include "regatta/analysis/wording.hpp"
#include "regatta/report/report.hpp"
#include "report/paragraph.hpp"
#include "report/summary.hpp"
#include "report/text.hpp"
#include "report/text_table.hpp"
#include "report/view.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t cell_columns = 24;  // widest value of an axis
constexpr std::size_t names_shown = 4;
constexpr std::size_t explanations_shown = 12;

struct Style {
  bool colour;
  [[nodiscard]] std::string bold(std::string_view text) const { return wrapped("\x1b[1m", text); }
  [[nodiscard]] std::string wrapped(std::string_view code, std::string_view text) const {
    return colour ? fmt::format("{}{}\x1b[0m", code, text) : std::string(text);
  }
};

bool is_number(sweep::Param param) { return sweep::info(param).type == sweep::ParamType::integer; }

/// What stands in a line of its own above the rows: the words of the setting; its numbers are columns.
std::string heading_of(const View& view, TrialIndex trial) {
  std::vector<sweep::Param> words;
  std::copy_if(view.axes.stratum.begin(), view.axes.stratum.end(), std::back_inserter(words),
               [](sweep::Param param) { return !is_number(param); });
  return analysis::label(view.results.trials[trial.value].parameters, words);
}

/// The trials by heading, then by group, at most `most` of them.
std::vector<TrialIndex> shown_trials(const View& view, std::size_t most) {
  std::vector<std::vector<TrialIndex>> by_heading;
  std::unordered_map<std::string, std::size_t> index;
  for (const auto& group : view.groups) {
    const auto [entry, is_new] = index.try_emplace(heading_of(view, group.trials.front()), by_heading.size());
    if (is_new) by_heading.emplace_back();
    auto& list = by_heading[entry->second];
    list.insert(list.end(), group.trials.begin(), group.trials.end());
  }
  std::vector<TrialIndex> order;
  for (const auto& list : by_heading) order.insert(order.end(), list.begin(), list.end());
  order.resize(std::min(order.size(), most));
  return order;
}

template <class Text>
Column column(std::string header, bool right, int dispensable, const std::vector<TrialIndex>& trials, Text text) {
  Column made{std::move(header), right, dispensable, {}};
  for (const TrialIndex trial : trials) made.cells.push_back(clip(clean(text(trial)), cell_columns));
  return made;
}

/// The median, or how the trial ended without one.
std::string step_cell(const View& view, TrialIndex index) {
  const auto& trial = view.results.trials[index.value];
  if (!std::holds_alternative<sweep::Finished>(trial.outcome)) return sweep::status_of(trial.outcome);
  return analysis::duration_text(analysis::metric(trial, "step_time"));
}

std::string ratio_cell(const View& view, TrialIndex index) {
  if (const auto* contrast = view.ratio[index.value]) return analysis::ratio_text(contrast->ratio);
  return view.is_baseline[index.value] ? "1x" : std::string(analysis::dash);
}

std::string interval_cell(const View& view, TrialIndex index) {
  const auto* contrast = view.ratio[index.value];
  if (contrast) return analysis::interval_text(contrast->low, contrast->high);
  return view.is_baseline[index.value] ? "baseline" : "";
}

std::string verdict_cell(const View& view, TrialIndex index) {
  const auto* contrast = view.ratio[index.value];
  return contrast ? analysis::verdict_text(*contrast) : "";
}

void add_metrics(std::vector<Column>& columns, const View& view, const std::vector<TrialIndex>& trials) {
  const auto value = [&](const char* name) {
    return [&view, name](TrialIndex index) { return analysis::metric(view.results.trials[index.value], name); };
  };
  const auto time = [&](const char* header, const char* name, int dispensable) {
    columns.push_back(column(header, true, dispensable, trials,
                             [get = value(name)](TrialIndex index) { return analysis::duration_text(get(index)); }));
  };
  columns.push_back(column("step", true, 0, trials, [&](TrialIndex index) { return step_cell(view, index); }));
  time("mean", "step_time_mean", 3);
  time("p95", "step_time_p95", 2);
  columns.push_back(column("samples/s", true, 1, trials, [get = value("samples_per_second")](TrialIndex index) {
    return analysis::rate_text(get(index));
  }));
  columns.push_back(column("ratio", true, 0, trials, [&](TrialIndex index) { return ratio_cell(view, index); }));
  columns.push_back(column("interval", false, 0, trials, [&](TrialIndex index) { return interval_cell(view, index); }));
  columns.push_back(column("verdict", false, 0, trials, [&](TrialIndex index) { return verdict_cell(view, index); }));
}

std::vector<Column> table(const View& view, const std::vector<TrialIndex>& trials) {
  std::vector<Column> columns;
  for (const auto* params : {&view.axes.stratum, &view.axes.arm}) {
    for (const auto param : *params) {
      if (params == &view.axes.stratum && !is_number(param)) continue;
      columns.push_back(
          column(std::string(sweep::info(param).name), is_number(param), 0, trials, [&view, param](TrialIndex index) {
            return sweep::to_text(view.results.trials[index.value].parameters[param]);
          }));
    }
  }
  add_metrics(columns, view, trials);
  return columns;
}

void add_table(std::string& out, const View& view, const TerminalOptions& options, const Style& style) {
  const auto trials = shown_trials(view, static_cast<std::size_t>(std::max(options.most_rows, 0)));
  auto columns = table(view, trials);
  const auto terminal_columns = static_cast<std::size_t>(std::max(options.columns, 20));
  fit(columns, terminal_columns);
  const auto lines = lines_of(columns);
  out += style.bold(lines.front()) + '\n';
  std::string heading;
  for (std::size_t row = 0; row < trials.size(); ++row) {
    const std::string next = heading_of(view, trials[row]);
    if (next != heading) out += style.bold(clip(clean(next), terminal_columns)) + '\n';
    heading = next;
    out += lines[row + 1] + '\n';
  }
  if (trials.size() < view.results.trials.size()) {
    out += fmt::format("... {} more trials, all in the result file\n", view.results.trials.size() - trials.size());
  }
}

void add_not_measured(std::string& out, const View& view, std::size_t columns, const Style& style) {
  for (const auto& ended : not_measured(view.results)) {
    const std::size_t indent = width(ended.status) + 1;
    std::string names;
    paragraph(names, names_of(view, ended.trials, names_shown), columns, indent);
    out += '\n' + style.bold(ended.status) + (names.empty() ? "\n" : names.substr(indent - 1));
    if (!ended.reason.empty()) paragraph(out, ended.reason, columns, 2);
    paragraph(out, "-> " + ended.advice, columns, 2);
  }
}

/// Finished trials without a ratio; the others already say why.
void add_missing(std::string& out, const View& view, std::size_t columns) {
  for (const auto& missing : view.contrasts.missing) {
    const auto& first = view.results.trials[missing.trials.front().value];
    if (!std::holds_alternative<sweep::Finished>(first.outcome)) continue;
    out += '\n';
    paragraph(out, names_of(view, missing.trials, names_shown) + ": " + missing.reason, columns, 0);
  }
}

/// What each cell's time goes to, where the sweep asks for it.
void add_why(std::string& out, const View& view, std::size_t columns) {
  const auto& explanations = view.explanations;
  const std::size_t shown = std::min(explanations.size(), explanations_shown);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& parameters = view.results.trials[explanations[i].trial.value].parameters;
    paragraph(out, "why: " + trial_label(parameters, view.axes) + ": " + explanations[i].text, columns, 0);
  }
  if (shown < explanations.size())
    paragraph(out, fmt::format("why: {} more cells, all in the HTML report", explanations.size() - shown), columns, 0);
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

}  // namespace

std::string terminal(const results::Results& results, const analysis::Contrasts& contrasts,
                     const TerminalOptions& options) {
  const View view = view_of(results, contrasts);
  const Style style{options.colour};
  const auto columns = static_cast<std::size_t>(std::max(options.columns, 20));
  std::string out = style.bold(clean(results.name)) + "   " + counts_line(results) + '\n';
  for (const auto& machine : machines(results)) paragraph(out, machine, columns, 0);
  paragraph(out, joined(engines(results)), columns, 0);
  out += '\n';
  for (const auto& sentence : headline(view)) paragraph(out, sentence, columns, 0);
  for (const auto& finding : findings(view)) paragraph(out, finding, columns, 0);
  out += '\n';
  add_table(out, view, options, style);
  paragraph(out, "step: median; ratio: time relative to that setting's baseline, 95 % interval", columns, 0);
  for (const auto& line : trust(contrasts)) paragraph(out, "trust: " + line, columns, 0);
  add_why(out, view, columns);
  add_not_measured(out, view, columns, style);
  add_missing(out, view, columns);
  return out;
}

}  // namespace regatta::report
