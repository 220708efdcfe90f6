#include "table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "regatta/base/error.hpp"
#include "simulated_learner.hpp"

namespace regatta::search::testing {
namespace {

std::filesystem::path written(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(::testing::TempDir()) / name;
  std::ofstream(path) << text;
  return path;
}

TEST(Table, IsReadAsItWasWritten) {
  const Table table = simulated_table();
  EXPECT_EQ(read_table(written("search_table.txt", table_text(table))), table);
}

TEST(Table, RefusesWhatEndsEarlyOrIsNone) {
  EXPECT_THROW(read_table(written("search_short.txt", "1 2 1\n0 0 0.5 0.5\n")), InputError);
  EXPECT_THROW(read_table(written("search_twice.txt", "1 2 1\n0 0 0.5 0.5\n0 0 0.5 0.5\n")), InputError);
  EXPECT_THROW(read_table("no such table"), InputError);
}

TEST(SimulatedLearner, LooksLikeTrainingOfDigits) {
  const Table table = simulated_table();
  ASSERT_EQ(table.runs.size(), 40U);
  std::size_t diverged = 0;
  std::size_t good = 0;
  for (std::size_t i = 0; i < table.runs.size(); ++i) {
    EXPECT_EQ(table.runs[i].size(), 50U);
    diverged += true_score(table, i) < 0.3 ? 1 : 0;
    good += true_score(table, i) > 0.95 ? 1 : 0;
  }
  EXPECT_GE(diverged, 4U);
  EXPECT_GE(good, 8U);
  EXPECT_GT(true_score(table, truly_best(table)), 0.97);
}

}  // namespace
}  // namespace regatta::search::testing
