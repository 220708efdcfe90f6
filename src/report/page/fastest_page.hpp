// All measured trials in one table, the fastest first. It is whole without scripts; with them its columns sort and its
// rows can be filtered.
#pragma once

#include <string>
#include <string_view>

#include "report/findings/view.hpp"

namespace regatta::report {

/// Empty where fewer than two trials were measured.
std::string fastest_table(const View& view);

/// Adds what sorts and filters to tables of the class "sortable"; an element for the end of the page. It loads nothing,
/// and reads no more than what these tables show.
std::string sorting_script();

}  // namespace regatta::report
