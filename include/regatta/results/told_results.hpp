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

/// Adds the facts that processes and runs of a continued trial reported later: peaks of memory and results. A row whose
/// results are in units that do not mix has failed then.
void add_later(TrialRow& row, const sweep::Facts& later);

/// Converts the results of each name to one unit, that of the first row that has it. A row in a unit of another
/// quantity has failed then: its number would stand in the wrong unit.
void unify_result_units(std::span<TrialRow> rows);

/// Throws InputError, naming both units, where a row of `rows` has a result in a unit that cannot become that of
/// `first`. The error begins with the text for both files.
void expect_like_units(std::span<const TrialRow> first, std::span<const TrialRow> rows, const std::string& files);

/// Units by name, of all rows; "1" where none was told.
std::map<std::string, std::string> result_units(std::span<const TrialRow> rows);

}  // namespace regatta::results
