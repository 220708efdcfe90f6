// On a terminal: for each pair of arms a table, a row for each setting in which they were compared.
#pragma once

#include <cstddef>
#include <string>

#include "regatta/report/report.hpp"
#include "report/findings/view.hpp"
#include "report/terminal/style.hpp"

namespace regatta::report {

/// Where a sentence would be too much: "38.3x slower", "2.10x faster", "same (+0.3 %)", "1.02x undecided".
std::string verdict_phrase(const analysis::Contrast& contrast);

/// The interval that belongs to the phrase: b / a where a is faster, else a / b.
std::string phrase_interval(const analysis::Contrast& contrast);

/// Most extreme pair first, at most `options.most_rows` rows in all; empty without contrasts.
std::string pair_tables(const View& view, const TerminalOptions& options, const Style& style);

}  // namespace regatta::report
