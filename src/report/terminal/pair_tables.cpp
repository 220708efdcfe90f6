#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "regatta/report/text.hpp"
#include "regatta/report/wording.hpp"
#include "report/findings/findings.hpp"
#include "report/terminal/setting_columns.hpp"
#include "report/terminal/terminal.hpp"
#include "report/terminal/text_table.hpp"

namespace regatta::report {
namespace {

using analysis::Contrast;
using stats::Verdict;

constexpr std::size_t arm_name_columns = 16;  // an arm's name above its times
constexpr std::size_t row_name_columns = 22;  // beside them; a longer one stands above its rows
constexpr std::size_t least_bar = 10;         // room that its scale fits above
constexpr std::size_t most_bar = 30;
constexpr std::string_view processes_header = "processes";
constexpr int wide_columns = 110;  // from here on there is room for more than a person needs first

/// One setting of a pair. Without a contrast: how the first arm ended.
struct PairRow {
  TrialIndex a;
  const Contrast* contrast = nullptr;
};

struct Pair {
  std::string a;  ///< empty: each row has its own, beside the same b in one setting
  std::string b;
  std::vector<PairRow> rows;
  bool by_arm = false;  ///< without `a`: the name of each arm stands above its rows
};

/// A table and how much of a line it leaves for bars.
struct Table {
  Pair pair;
  std::vector<Column> columns;
  std::size_t bar_room = 0;
};

/// The place of each trial's row: settings with the same words stand together, in the order in which they are met.
std::vector<std::pair<std::size_t, std::size_t>> places_of(const View& view) {
  std::unordered_map<std::string, std::size_t> headings;
  std::vector<std::pair<std::size_t, std::size_t>> places(view.results.trials.size());
  for (std::size_t group = 0; group < view.groups.size(); ++group) {
    const auto& trials = view.groups[group].trials;
    const auto heading = headings.try_emplace(heading_of(view, trials.front()), headings.size()).first->second;
    for (const TrialIndex trial : trials) places[trial.value] = {heading, group};
  }
  return places;
}
/// The pairs, and beside each measured setting those in which the first arm did not end well.
std::vector<Pair> pairs_of(const View& view) {
  std::vector<Pair> pairs;
  std::unordered_map<std::string, std::size_t> first_with;
  for (const auto& effect : view.effects.effects) {
    first_with.try_emplace(effect.a, pairs.size());
    pairs.push_back({effect.a, effect.b, {}});
    for (const std::size_t index : effect.contrasts) {
      const Contrast& contrast = view.contrasts.contrasts[index];
      pairs.back().rows.push_back({contrast.a, &contrast});
    }
  }
  for (std::uint32_t i = 0; i < view.results.trials.size(); ++i) {
    const auto& trial = view.results.trials[i];
    if (std::holds_alternative<sweep::Finished>(trial.outcome)) continue;
    const auto pair = first_with.find(arm_of(view, TrialIndex{i}));
    if (pair != first_with.end()) pairs[pair->second].rows.push_back({TrialIndex{i}, nullptr});
  }
  const auto places = places_of(view);
  for (Pair& pair : pairs) {
    std::ranges::stable_sort(pair.rows, {}, [&](const PairRow& row) { return places[row.a.value]; });
  }
  return pairs;
}

/// Where all is measured against the same arm in few settings, a row each in one table.
std::vector<Pair> gathered(std::vector<Pair> pairs, const View& view) {
  if (pairs.size() < 2 || pairs.size() <= view.groups.size()) return pairs;
  if (!std::ranges::all_of(pairs, [&](const Pair& pair) { return pair.b == pairs.front().b; })) return pairs;
  Pair all{{}, pairs.front().b, {}};
  for (const Pair& pair : pairs) all.rows.insert(all.rows.end(), pair.rows.begin(), pair.rows.end());
  all.by_arm = std::ranges::any_of(pairs, [](const Pair& pair) { return width(clean(pair.a)) > row_name_columns; });
  const auto places = places_of(view);
  if (!all.by_arm) std::ranges::stable_sort(all.rows, {}, [&](const PairRow& row) { return places[row.a.value]; });
  return {std::move(all)};
}

bool has_one_setting(const View& view) { return view.groups.size() == 1; }

std::string_view code_of(const PairRow& row) {
  if (row.contrast == nullptr) return ansi::yellow;
  switch (row.contrast->verdict) {
    case Verdict::faster:
      return ansi::green;
    case Verdict::slower:
      return ansi::red;
    case Verdict::undecided:
      return ansi::yellow;
    case Verdict::same:
      break;
  }
  return {};
}

template <class Text>
Column column(std::string header, bool right, int dispensable, const std::vector<PairRow>& rows, Text text) {
  Column made{std::move(header), right, dispensable, {}, {}};
  for (const PairRow& row : rows) made.cells.push_back(text(row));
  return made;
}

results::TrialRow trial_of(const View& view, const PairRow& row) {
  return typical_trial(view, row.contrast, row.a, &Contrast::Replicate::a);
}

std::string figure_of_baseline(const View& view, const Contrast& contrast) {
  return figure_of(view, typical_trial(view, &contrast, contrast.b, &Contrast::Replicate::b));
}

/// Names of arms often begin alike: both ends tell them apart.
std::string head_of(const std::string& arm) { return clip_middle(clean(arm), arm_name_columns); }

/// Adds the results that programs told of the arms, except the one that they are compared by.
void add_results(std::vector<Column>& columns, const View& view, const std::vector<PairRow>& rows) {
  for (const ResultColumn& result : result_columns(view)) {
    if (view.contrasts.result && view.contrasts.result->name == result.name) continue;
    columns.push_back(column(clean(result.header), true, 2, rows,
                             [&](const PairRow& row) { return result_text(trial_of(view, row), result.name); }));
  }
}

void add_arms(std::vector<Column>& columns, const View& view, const Pair& pair) {
  const auto& rows = pair.rows;
  const auto figure = [&](const PairRow& row) { return figure_of(view, trial_of(view, row)); };
  const auto figure_beside = [&](const PairRow& row) {
    return row.contrast ? figure_of_baseline(view, *row.contrast) : std::string(dash);
  };
  if (pair.a.empty()) {
    if (!pair.by_arm)
      columns.push_back(column("", false, 0, rows, [&](const PairRow& row) { return clean(arm_of(view, row.a)); }));
    const bool is_of_steps = sweep::is_step_time(view.contrasts.metric);
    columns.push_back(column(is_of_steps ? "step" : "", true, 0, rows, figure));
    add_results(columns, view, rows);
    if (has_one_setting(view)) return;
    columns.push_back(column(head_of(pair.b), true, 1, rows, figure_beside));
    return;
  }
  columns.push_back(column(head_of(pair.b), true, 1, rows, figure_beside));
  columns.push_back(column(head_of(pair.a), true, 0, rows, figure));
}

void add_figures(std::vector<Column>& columns, const View& view, const Pair& pair, int terminal_columns) {
  const auto& rows = pair.rows;
  columns.push_back(column("is", false, 0, rows, [](const PairRow& row) {
    return row.contrast ? words_of(judged_ratio(*row.contrast)).figure : std::string();
  }));
  for (const PairRow& row : rows) columns.back().codes.push_back(code_of(row));
  columns.push_back(column("95 %", false, 0, rows, [](const PairRow& row) {
    return row.contrast ? interval_text(judged_ratio(*row.contrast)) : std::string();
  }));
  columns.push_back(column(std::string(processes_header), true, 2, rows, [](const PairRow& row) {
    return row.contrast ? evidence_text(*row.contrast) : std::string();
  }));
  if (terminal_columns < wide_columns) return;
  columns.push_back(column("samples/s", true, 3, rows, [&](const PairRow& row) {
    return rate_text(analysis::metric(trial_of(view, row), "samples_per_second"));
  }));
  columns.push_back(column("flags", false, 4, rows, [](const PairRow& row) {
    return row.contrast ? clip(stats::text_of(row.contrast->flags, ", "), 2 * arm_name_columns) : std::string();
  }));
}

/// The ratios that the ends of a bar's room stand for: "1x        380x".
std::string scale_text(double longest, std::size_t room) {
  const std::string end = times_text(std::exp(longest));
  const std::string start = "1x";
  return fmt::format("{}{:>{}}", start, end, room - start.size());
}

/// The columns that are left for bars, where the table is whole; 0 if they are too few.
std::size_t bar_room(const std::vector<Column>& columns, std::size_t terminal_columns) {
  const std::size_t used = total_width(columns) + column_gap;
  return used + least_bar > terminal_columns ? 0 : std::min(most_bar, terminal_columns - used);
}

/// Lengths by the log of the ratio, over all pairs: a difference that is known has at least one sign.
void add_bars(std::vector<Column>& columns, const Pair& pair, double longest, std::size_t room) {
  if (room == 0 || !(longest > 0)) return;
  columns.push_back(column(scale_text(longest, room), false, 1, pair.rows, [&](const PairRow& row) {
    if (row.contrast == nullptr || row.contrast->difference) return std::string();
    const Verdict verdict = row.contrast->verdict;
    if (verdict != Verdict::slower && verdict != Verdict::faster) return std::string();
    const double share = std::abs(std::log(row.contrast->ratio)) / longest;
    const auto length = static_cast<std::size_t>(std::lround(share * static_cast<double>(room)));
    return std::string(std::clamp<std::size_t>(length, 1, room), verdict == Verdict::slower ? '>' : '<');
  }));
  for (const PairRow& row : pair.rows) columns.back().codes.push_back(code_of(row));
}

double longest_of(const View& view) {
  double longest = 0;
  for (const Contrast& contrast : view.contrasts.contrasts)
    if (!contrast.difference) longest = std::max(longest, std::abs(std::log(contrast.ratio)));
  return longest;
}

Table table_of(const View& view, Pair pair, const TerminalOptions& options, std::size_t terminal_columns) {
  std::vector<TrialIndex> trials;
  for (const PairRow& row : pair.rows) trials.push_back(row.a);
  Table table{std::move(pair), setting_columns(view, trials)};
  add_arms(table.columns, view, table.pair);
  add_figures(table.columns, view, table.pair, options.columns);
  const std::size_t wanted = table.columns.size();
  fit(table.columns, terminal_columns);
  if (table.columns.size() == wanted) table.bar_room = bar_room(table.columns, terminal_columns);
  return table;
}

/// "numpy against native graph"; where each row names its own arm, "against torch eager (95.9 us)".
std::string title_of(const View& view, const Pair& pair) {
  if (!pair.a.empty()) return pair.a + " against " + pair.b;
  if (!has_one_setting(view)) return "against " + pair.b;
  const auto compared = std::ranges::find_if(pair.rows, [](const PairRow& row) { return row.contrast != nullptr; });
  return fmt::format("against {} ({})", pair.b, figure_of_baseline(view, *compared->contrast));
}

/// The heading above a row, unless it stands there already.
std::string heading_of(const View& view, const Pair& pair, TrialIndex trial) {
  const std::string words = heading_of(view, trial);
  if (!pair.by_arm) return words;
  return arm_of(view, trial) + (words.empty() ? "" : ": " + words);
}

std::string text_of(const View& view, const Table& table, const Style& style, std::size_t terminal_columns) {
  const Pair& pair = table.pair;
  const auto lines = lines_of(table.columns, style);
  std::string out =
      '\n' + style.bold(clip(clean(title_of(view, pair)), terminal_columns)) + '\n' + lines.front() + '\n';
  std::string heading;
  for (std::size_t row = 0; row < pair.rows.size(); ++row) {
    const std::string next = heading_of(view, pair, pair.rows[row].a);
    if (next != heading) out += style.bold(clip(clean(next), terminal_columns)) + '\n';
    heading = next;
    out += lines[row + 1] + '\n';
  }
  return out;
}

/// The same room in all tables that have some, so that bars can be compared.
void add_bars(std::vector<Table>& tables, double longest) {
  std::size_t room = most_bar;
  for (const Table& table : tables)
    if (table.bar_room > 0) room = std::min(room, table.bar_room);
  for (Table& table : tables)
    if (table.bar_room > 0) add_bars(table.columns, table.pair, longest, room);
}

}  // namespace

PairTables pair_tables(const View& view, const TerminalOptions& options, const Style& style) {
  const auto terminal_columns = static_cast<std::size_t>(std::max(options.columns, 20));
  std::size_t room = static_cast<std::size_t>(std::max(options.most_rows, 0));
  std::size_t left_out = 0;
  std::vector<Table> tables;
  for (Pair& pair : gathered(pairs_of(view), view)) {
    const std::size_t shown = std::min(room, pair.rows.size());
    left_out += pair.rows.size() - shown;
    room -= shown;
    pair.rows.resize(shown);
    if (shown > 0) tables.push_back(table_of(view, std::move(pair), options, terminal_columns));
  }
  const double longest = longest_of(view);
  add_bars(tables, longest);
  PairTables out;
  for (const Table& table : tables) {
    out.text += text_of(view, table, style, terminal_columns);
    out.has_processes =
        out.has_processes || std::ranges::find(table.columns, processes_header, &Column::header) != table.columns.end();
    out.has_bars = out.has_bars || (table.bar_room > 0 && longest > 0);
  }
  if (left_out > 0) out.text += fmt::format("... {} more rows, all in the result file\n", left_out);
  return out;
}

}  // namespace regatta::report
