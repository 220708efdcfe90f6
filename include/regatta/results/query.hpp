// A query for rows and columns of a table, as people write it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/results/table.hpp"

namespace regatta::results {

struct Query {
  /// All must hold: "engine=native,numpy" (one of them), "status!=finished", "batch>=64", "step_time<5ms"; "mode=null"
  /// is a parameter that is not read, or a number that was not measured.
  std::vector<std::string> conditions;
  std::vector<std::string> columns;  ///< in this order; empty: all
  std::string sort;                  ///< a column, "-column" from the largest; missing values last; empty: as stored
};

/// Throws InputError naming what is wrong with the query.
Table select(Table table, const Query& query);

/// The trial whose id begins with these hexadecimal digits. Throws InputError if there is none, or more than one.
TrialIndex find_trial(const Results& results, std::string_view digits);

}  // namespace regatta::results
