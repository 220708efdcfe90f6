// Results that programs and loops reported for their trials, as metrics of a row.
#pragma once

#include <map>
#include <span>
#include <string>

#include "regatta/results/tables.hpp"

namespace regatta::results {

/// The median over runs of each of its results, as a metric of its name (NaN where one of them is none), and what is
/// to be said of them.
void fill_results(TrialRow& row);

/// Adds the facts that processes and runs of a continued trial reported later: peaks of memory and results.
void add_later(TrialRow& row, const sweep::Facts& later);

/// Units by name, of all rows; "1" where none was told.
std::map<std::string, std::string> result_units(std::span<const TrialRow> rows);

}  // namespace regatta::results
