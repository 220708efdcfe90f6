#include <gtest/gtest.h>

#include "results/file/file.hpp"

namespace regatta::results {
namespace {

using sweep::Param;
using sweep::Value;

TrialRow trial(const char* engine, std::int64_t batch) {
  TrialRow row;
  row.parameters[Param::model] = std::string("mlp-10");
  row.parameters[Param::engine] = std::string(engine);
  row.parameters[Param::batch] = batch;
  return row;
}

Results grid(std::vector<TrialRow> trials) {
  Results results;
  results.axis_names = {"engine", "model", "batch"};
  results.trials = std::move(trials);
  return results;
}

TEST(Cubes, AxesAreThoseOfTheSweepInItsOrder) {
  const auto found = cubes(grid({trial("native", 32), trial("native", 8), trial("numpy", 32), trial("numpy", 8)}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].model, "mlp-10");
  ASSERT_EQ(found[0].axes.size(), 2U);
  EXPECT_EQ(found[0].axes[0].param, Param::engine);
  EXPECT_EQ(found[0].axes[0].levels, (std::vector<Value>{std::string("native"), std::string("numpy")}));
  EXPECT_EQ(found[0].axes[1].levels, (std::vector<Value>{std::int64_t{8}, std::int64_t{32}}));
  EXPECT_EQ(found[0].trial, (std::vector<std::int64_t>{1, 0, 3, 2}));
}

TEST(Cubes, EachModelHasItsOwn) {
  TrialRow other = trial("native", 8);
  other.parameters[Param::model] = std::string("matmul-1000");
  other.parameters[Param::batch] = Value();
  const auto found = cubes(grid({trial("native", 8), other}));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].model, "matmul-1000");
  EXPECT_EQ(found[0].axes.size(), 1U) << "it reads no batch";
  EXPECT_EQ(found[0].trial, std::vector<std::int64_t>{1});
}

TEST(Cubes, TrialThatDoesNotReadAnAxisStandsInAllItsLevels) {
  TrialRow numpy = trial("numpy", 8);
  numpy.parameters[Param::batch] = Value();
  const auto found = cubes(grid({trial("native", 8), trial("native", 32), numpy}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].trial, (std::vector<std::int64_t>{0, 1, 2, 2}));
}

TEST(Cubes, RepeatsTellTrialsApartAndBecomeAnAxis) {
  std::vector<TrialRow> trials;
  for (std::int64_t repeat : {0, 1}) {
    trials.push_back(trial("native", 8));
    trials.back().parameters[Param::repeat] = repeat;
  }
  const auto found = cubes(grid(trials));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].axes.back().param, Param::repeat);
  EXPECT_EQ(found[0].trial, (std::vector<std::int64_t>{0, 1}));
}

TEST(Cubes, HalfFullGridHasOneAndAnEmptierOneHasNone) {
  const std::vector<TrialRow> diagonal = {trial("native", 8), trial("numpy", 32)};
  EXPECT_EQ(cubes(grid(diagonal)).size(), 1U);
  std::vector<TrialRow> sparse = diagonal;
  sparse.push_back(trial("torch", 64));
  EXPECT_TRUE(cubes(grid(sparse)).empty()) << "3 of 9";
}

TEST(Cubes, TrialsThatNothingTellsApartHaveNone) {
  EXPECT_TRUE(cubes(grid({trial("native", 8), trial("native", 8)})).empty());
}

TEST(Cubes, TrialsWithoutAModelAreCommands) {
  TrialRow row = trial("command", 8);
  row.parameters[Param::command] = std::string("sleep");
  row.parameters[Param::batch] = Value();
  row.parameters[Param::model] = Value();
  const auto found = cubes(grid({row}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].model, "commands");
}

}  // namespace
}  // namespace regatta::results
