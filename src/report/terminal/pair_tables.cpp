#include "report/terminal/pair_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "regatta/analysis/wording.hpp"
#include "regatta/report/text.hpp"
#include "report/terminal/setting_columns.hpp"
#include "report/terminal/text_table.hpp"

namespace regatta::report {
namespace {

using analysis::Contrast;
using stats::Verdict;

constexpr std::size_t arm_name_columns = 16;  // an arm's name above its times
constexpr std::size_t least_scale = 10;       // a bar's room that its scale fits above
constexpr std::size_t least_bar = 4;
constexpr std::size_t most_bar = 30;
constexpr int wide_columns = 110;  // from here on there is room for more than a person needs first

/// One setting of a pair. Without a contrast: how the first arm ended.
struct PairRow {
  TrialIndex a;
  const Contrast* contrast = nullptr;
};

struct Pair {
  std::string a;
  std::string b;
  std::vector<PairRow> rows;
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
    const auto pair = first_with.find(analysis::label(trial.parameters, view.axes.arm));
    if (pair != first_with.end()) pairs[pair->second].rows.push_back({TrialIndex{i}, nullptr});
  }
  const auto places = places_of(view);
  for (Pair& pair : pairs) {
    std::ranges::stable_sort(pair.rows, {}, [&](const PairRow& row) { return places[row.a.value]; });
  }
  return pairs;
}

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

std::string figure_of(const View& view, TrialIndex index) {
  const auto& trial = view.results.trials[index.value];
  if (!std::holds_alternative<sweep::Finished>(trial.outcome)) return sweep::status_of(trial.outcome);
  return analysis::figure_text(trial, view.contrasts.metric);
}

/// Names of arms often begin alike: both ends tell them apart.
std::string head_of(const std::string& arm) { return clip_middle(clean(arm), arm_name_columns); }

void add_figures(std::vector<Column>& columns, const View& view, const Pair& pair, int terminal_columns) {
  const auto& rows = pair.rows;
  columns.push_back(column(head_of(pair.b), true, 1, rows, [&](const PairRow& row) {
    return row.contrast ? figure_of(view, row.contrast->b) : std::string(analysis::dash);
  }));
  columns.push_back(column(head_of(pair.a), true, 0, rows, [&](const PairRow& row) { return figure_of(view, row.a); }));
  columns.push_back(column("is", false, 0, rows, [](const PairRow& row) {
    return row.contrast ? words_of(judged_ratio(*row.contrast)).figure : std::string();
  }));
  for (const PairRow& row : rows) columns.back().codes.push_back(code_of(row));
  columns.push_back(column("95 %", false, 0, rows, [](const PairRow& row) {
    return row.contrast ? interval_text(judged_ratio(*row.contrast)) : std::string();
  }));
  columns.push_back(column("processes", true, 2, rows, [](const PairRow& row) {
    return row.contrast ? evidence_text(*row.contrast) : std::string();
  }));
  if (terminal_columns < wide_columns) return;
  columns.push_back(column("samples/s", true, 3, rows, [&](const PairRow& row) {
    return analysis::rate_text(analysis::metric(view.results.trials[row.a.value], "samples_per_second"));
  }));
  columns.push_back(column("flags", false, 4, rows, [](const PairRow& row) {
    std::string flags;
    if (row.contrast == nullptr) return flags;
    for (const auto& flag : row.contrast->flags) flags += (flags.empty() ? "" : ", ") + flag;
    return clip(clean(flags), 2 * arm_name_columns);
  }));
}

/// What the ends of a bar's room stand for: "1x        380x".
std::string scale_text(double longest, std::size_t room) {
  const std::string end = analysis::times_text(std::exp(longest));
  const std::string start = "1x";
  return room < least_scale ? "" : fmt::format("{}{:>{}}", start, end, room - start.size());
}

/// Lengths by the log of the ratio, over all pairs: a difference that is known has at least one sign.
void add_bars(std::vector<Column>& columns, const Pair& pair, double longest, std::size_t terminal_columns) {
  const std::size_t used = total_width(columns) + column_gap;
  if (used + least_bar > terminal_columns || !(longest > 0)) return;
  const std::size_t room = std::min(most_bar, terminal_columns - used);
  columns.push_back(column(scale_text(longest, room), false, 1, pair.rows, [&](const PairRow& row) {
    if (row.contrast == nullptr) return std::string();
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
    longest = std::max(longest, std::abs(std::log(contrast.ratio)));
  return longest;
}

std::string table_of(const View& view, const Pair& pair, const TerminalOptions& options, const Style& style,
                     double longest) {
  const auto terminal_columns = static_cast<std::size_t>(std::max(options.columns, 20));
  std::vector<TrialIndex> trials;
  for (const PairRow& row : pair.rows) trials.push_back(row.a);
  auto columns = setting_columns(view, trials);
  add_figures(columns, view, pair, options.columns);
  const std::size_t wanted = columns.size();
  fit(columns, terminal_columns);
  if (columns.size() == wanted) add_bars(columns, pair, longest, terminal_columns);
  const auto lines = lines_of(columns, style);
  std::string out =
      '\n' + style.bold(clip(clean(pair.a + " against " + pair.b), terminal_columns)) + '\n' + lines.front() + '\n';
  std::string heading;
  for (std::size_t row = 0; row < pair.rows.size(); ++row) {
    const std::string next = heading_of(view, pair.rows[row].a);
    if (next != heading) out += style.bold(clip(clean(next), terminal_columns)) + '\n';
    heading = next;
    out += lines[row + 1] + '\n';
  }
  return out;
}

}  // namespace

std::string pair_tables(const View& view, const TerminalOptions& options, const Style& style) {
  std::string out;
  std::size_t room = static_cast<std::size_t>(std::max(options.most_rows, 0));
  std::size_t left_out = 0;
  const double longest = longest_of(view);
  for (Pair& pair : pairs_of(view)) {
    const std::size_t shown = std::min(room, pair.rows.size());
    left_out += pair.rows.size() - shown;
    room -= shown;
    pair.rows.resize(shown);
    if (shown > 0) out += table_of(view, pair, options, style, longest);
  }
  if (left_out > 0) out += fmt::format("... {} more rows, all in the result file\n", left_out);
  return out;
}

}  // namespace regatta::report
