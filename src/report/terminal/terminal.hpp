// Tables and lines for a terminal.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "regatta/report/report.hpp"
#include "regatta/report/terminal_options.hpp"
#include "report/findings/view.hpp"

// Weight and colour on a terminal. Words say the same as well.

namespace regatta::report {

namespace ansi {
inline constexpr std::string_view bold = "\x1b[1m";
inline constexpr std::string_view green = "\x1b[32m";
inline constexpr std::string_view red = "\x1b[31m";
inline constexpr std::string_view yellow = "\x1b[33m";
inline constexpr std::string_view reset = "\x1b[0m";
}  // namespace ansi

struct Style {
  bool colour;

  [[nodiscard]] std::string in(std::string_view code, std::string_view text) const {
    return colour && !code.empty() ? fmt::format("{}{}{}", code, text, ansi::reset) : std::string(text);
  }
  [[nodiscard]] std::string bold(std::string_view text) const { return in(ansi::bold, text); }
};

}  // namespace regatta::report

namespace regatta::report {

// learning_terminal.cpp: The report of a training sweep on a terminal.

/// The best configuration, the first rows of the ranking, and warnings.
std::string learning_answer(const View& view, const TerminalOptions& options, const Style& style);

/// The whole ranking, with stopped configurations, noise, cost and checks.
std::string learning_details(const View& view, const TerminalOptions& options, const Style& style);

/// The ranking: a line for each configuration, or two where what varies needs a line of its own.
std::string ranking_table(const View& view, const TerminalOptions& options, const Style& style);

// lines.cpp: Lines of a terminal that begin with a word.

/// Lines of `text` behind a word that stands once, in front of the first.
void hanging(std::string& out, std::string_view word, std::size_t indent, const std::string& text, std::size_t columns,
             const Style& style);

// matrix.cpp: All comparisons with one baseline in one table.

/// A row for each setting and a column for each arm, the baseline first, and the legend. Where the arms do not fit side
/// by side, a row for each arm of each setting. At most `options.most_rows` rows. Empty without such a matrix.
std::string matrix_table(const View& view, const TerminalOptions& options, const Style& style);

// pair_tables.cpp: On a terminal: for each pair of arms a table, a row for each setting in which they were compared.

struct PairTables {
  std::string text;            ///< empty without contrasts
  bool has_processes = false;  ///< some table had room for their column
  bool has_bars = false;
};

/// Most extreme pair first, at most `options.most_rows` rows in all.
PairTables pair_tables(const View& view, const TerminalOptions& options, const Style& style);

// sparkline.cpp: A curve as a few characters of text.

/// The scale that all sparklines of a table share. Both ends belong to it.
struct SparklineScale {
  std::int64_t samples = 0;  ///< the last column's; the first one begins at 0
  double low = 0;
  double high = 0;
};

/// The level of low and that of high: blocks, or ASCII.
std::string_view lowest_mark(bool utf8);
std::string_view highest_mark(bool utf8);

/// A column shows the last value of its stretch of samples, or the one before it; blank before the first and after the
/// last. Points are in the order of samples, their values finite.
std::string sparkline(const std::vector<std::pair<std::int64_t, double>>& points, const SparklineScale& scale,
                      std::size_t columns, bool utf8);

// trial_table.cpp: On a terminal: trials with their times, for sweeps that compare nothing and for what has no ratio.

/// All trials if nothing was compared, else those that finished and stand in no ratio; at most `options.most_rows`.
std::string trial_table(const View& view, const TerminalOptions& options, const Style& style);

}  // namespace regatta::report
