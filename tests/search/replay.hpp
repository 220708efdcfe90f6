// Searches replayed on a table: no training, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "regatta/search/due.hpp"
#include "table.hpp"

namespace regatta::search::testing {

/// Configurations of other names in each search, so that other ones are cloned and trained on.
Problem problem_on(const Table& table, std::uint64_t search);

/// The table's seeds that stand for the search's, the clones' and the fresh ones: no two alike.
std::vector<std::size_t> drawn_columns(const Table& table, std::uint64_t search);

/// A leg as the table has it; a test has a figure only where its leg opens the test part.
Done run_on(const Table& table, const std::vector<std::size_t>& columns, const Due& leg);

/// All runs until nothing is due.
std::vector<Done> replayed(const Problem& problem, const Table& table, const std::vector<std::size_t>& columns);

}  // namespace regatta::search::testing
