// Scores of many training runs that were once trained to the end: what searches are replayed on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "regatta/sweep/training.hpp"

namespace regatta::search::testing {

/// A configuration under a seed.
struct TableRun {
  std::vector<std::optional<double>> scores;  ///< best validation so far at the end of each rung; nothing: diverged
  std::optional<double> test;
  bool operator==(const TableRun&) const = default;
};

struct Table {
  std::vector<std::vector<TableRun>> runs;  ///< by configuration and seed
  std::size_t rungs = 0;
  bool operator==(const Table&) const = default;
};

/// The first line: how many configurations, seeds and rungs there are. Then a line for each configuration and seed, in
/// any order: both as numbers from 0, the score at the end of each rung, the test; `-` where there is none.
///   40 50 4
///   0 0 0.4216 0.8850 0.9512 0.9651 0.9583
///   0 1 0.3902 - - - -
Table read_table(const std::filesystem::path& path);
std::string table_text(const Table& table);

/// Means over all seeds, which a search does not know; a run that diverged counts as 0.
double true_score(const Table& table, std::size_t configuration);
double true_test(const Table& table, std::size_t configuration);
std::size_t truly_best(const Table& table);

}  // namespace regatta::search::testing
