// Training as tables.
#pragma once

#include "regatta/results/table.hpp"

namespace regatta::results {

/// A row for each leg: what was trained, how it ended, and its figures at the run's best evaluation so far.
Table legs_table(const Results& results);

/// A row for each evaluation.
Table curves_table(const Results& results);

}  // namespace regatta::results
