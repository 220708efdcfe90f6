// Small pieces of the HTML page, all of them escaped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "regatta/analysis/values.hpp"

namespace regatta::report {

inline constexpr std::size_t cell_columns = 60;
inline constexpr std::size_t sentence_columns = 400;
inline constexpr std::size_t check_columns = 1600;  // names the verdicts to doubt at its end

/// Clean, cut and escaped.
std::string cell(std::string_view text, std::size_t columns = cell_columns);

/// "<b>10.7x slower</b> [10.5, 10.9]".
std::string ratio_html(const analysis::JudgedRatio& judged);

/// A paragraph in small print; `text` is cut and escaped.
std::string note(std::string_view text);

/// The note on entries that a list leaves out, and where they are; empty if there are none.
std::string more(std::size_t shown, std::size_t all, std::string_view what);

/// A table that scrolls sideways where the page is narrow, also by keyboard. `table` is HTML.
std::string scrolled(std::string_view label, const std::string& table);

/// Closed until it is asked for; `content` is HTML. Empty without content.
std::string details(std::string_view summary, const std::string& content);

/// The <th> of a column; numbers stand at the right.
std::string column_head(std::string_view text, bool is_number = false);

}  // namespace regatta::report
