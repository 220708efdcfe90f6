#include "regatta/analysis/fastest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "analysis/hand_made.hpp"
#include "regatta/analysis/contrasts.hpp"

namespace regatta::analysis {
namespace {

using stats::Verdict;
using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::HandMade;

constexpr TrialIndex baseline{0};

TEST(Fastest, IsASetOfAllThatAreNotKnownToBeSlower) {
  HandMade made;
  made.cell(0.5, Verdict::faster);
  made.cell(0.505, Verdict::faster);
  made.cell(2);
  const auto found = made.fastest();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].where, "");
  EXPECT_EQ(found[0].cells, 4U);
  EXPECT_THAT(found[0].trials, ElementsAre(TrialIndex{1}, TrialIndex{2}));
}

TEST(Fastest, HoldsWhatHasNoFigureToRelyOn) {
  HandMade made;
  made.cell(2, Verdict::undecided).one_of_many = true;
  made.cell(3).low.reset();
  made.cell(4, Verdict::undecided);  // though its interval is clear
  made.cell(5);
  const auto found = made.fastest()[0];
  EXPECT_THAT(found.trials, ElementsAre(baseline, TrialIndex{1}, TrialIndex{2}, TrialIndex{3}));
  EXPECT_EQ(found.unsure, 2U) << "without an interval nobody tried to tell it apart";
  EXPECT_EQ(found.distrusted, 1U) << "four times the time is nothing that was not told apart";
}

TEST(Fastest, IsNoneWhoseWorkIsNotVerified) {
  for (const auto flag : {stats::Flag::close_work, stats::Flag::other_weights}) {
    HandMade made;
    made.cell(0.5, Verdict::faster).flags.add(flag);
    made.cell(0.8, Verdict::faster);
    const auto found = made.fastest()[0];
    EXPECT_EQ(found.cells, 2U);
    EXPECT_THAT(found.trials, ElementsAre(TrialIndex{2}));
  }
}

/// One block of three engines, the first of them the baseline: seconds a step in each square.
struct OneBlock {
  testing_support::ResultsBuilder made;
  std::vector<TrialIndex> cells;

  explicit OneBlock(const std::vector<std::vector<double>>& seconds) {
    for (std::size_t cell = 0; cell < seconds.size(); ++cell)
      cells.push_back(made.trial({{sweep::Param::engine, "engine@" + std::to_string(cell)}}));
    const BlockIndex block = made.block(cells);
    for (std::size_t cell = 0; cell < seconds.size(); ++cell) made.slices(block, cells[cell], seconds[cell]);
  }

  [[nodiscard]] std::vector<TrialIndex> fastest() const {
    return fastest_of(made.results, contrasts(made.results)).at(0).trials;
  }
};

/// A baseline that scatters by a factor of 4, and two cells of which the second takes `ratio` of the first's time.
OneBlock beside_a_noisy_baseline(std::size_t squares, double ratio) {
  std::vector<double> scattered, first, second;
  for (std::size_t square = 0; square < squares; ++square) {
    const double machine = 1 + 0.1 * static_cast<double>(square % 3);  // slows all arms of a square alike
    scattered.push_back(machine * (square % 2 == 0 ? 50 : 200));
    first.push_back(machine);
    second.push_back(machine * ratio);
  }
  return OneBlock({scattered, first, second});
}

TEST(Fastest, IsJudgedBySquaresThatCellsShareAndNotOverABaselineThatScatters) {
  const OneBlock block = beside_a_noisy_baseline(9, 1.5);
  EXPECT_THAT(block.fastest(), ElementsAre(block.cells[1]));
}

TEST(Fastest, HoldsCellsOfOneBlockThatDifferByLessThanTheMargin) {
  const OneBlock block = beside_a_noisy_baseline(9, 1.005);
  EXPECT_THAT(block.fastest(), ElementsAre(block.cells[1], block.cells[2]));
}

TEST(Fastest, HoldsWhatIsFarBehindOnSharedCoresAsDistrusted) {
  OneBlock block = beside_a_noisy_baseline(9, 131);
  block.made.results.blocks[0].flags = {stats::Flag::cores_shared};
  const auto found = fastest_of(block.made.results, contrasts(block.made.results)).at(0);
  EXPECT_THAT(found.trials.front(), block.cells[1]);
  EXPECT_EQ(found.trials.size() - found.unsure, 1U) << "nothing is as fast";
  EXPECT_GE(found.distrusted, 1U);
}

TEST(Fastest, LeavesNoCellOutOnEvidenceThatDoesForOneOnly) {
  // Each of two exclusions may err in half of what one ratio may, so it takes a larger difference.
  int unsure = 0;
  for (double ratio = 1.01; ratio < 1.025; ratio += 0.0005) {
    const OneBlock block = beside_a_noisy_baseline(8, ratio);
    const Fastest found = fastest_of(block.made.results, contrasts(block.made.results)).at(0);
    const auto last = found.trials.end() - static_cast<std::ptrdiff_t>(found.unsure);
    unsure += std::find(last, found.trials.end(), block.cells[2]) != found.trials.end() ? 1 : 0;
  }
  EXPECT_GT(unsure, 0);
  EXPECT_EQ(beside_a_noisy_baseline(9, 1.05).fastest().size(), 1U);
}

TEST(Fastest, HoldsTheTrulyFastestOfEightInNearlyAllBlocks) {
  constexpr int blocks = 100;
  constexpr std::size_t squares = 12;
  std::mt19937_64 random(20260101);
  std::normal_distribution<double> noise(0, 0.02);
  std::uniform_real_distribution<double> slower(0.02, 0.06);
  int held = 0;
  std::size_t cells = 0;
  for (int block = 0; block < blocks; ++block) {
    std::vector<std::vector<double>> seconds;
    for (int cell = 0; cell < 8; ++cell) {
      const double truth = cell == 3 ? 1 : 1 + slower(random);
      seconds.emplace_back();
      for (std::size_t square = 0; square < squares; ++square)
        seconds.back().push_back(truth * std::exp(noise(random)));
    }
    const OneBlock made(seconds);
    const auto fastest = made.fastest();
    held += std::ranges::find(fastest, made.cells[3]) != fastest.end() ? 1 : 0;
    cells += fastest.size();
  }
  std::printf("held in %d of %d blocks, %.1f of 8 cells in the set\n", held, blocks,
              static_cast<double>(cells) / blocks);
  EXPECT_GE(held, 95);
  EXPECT_LT(cells, 8U * blocks) << "a set of all cells says nothing";
}

/// Eight cells of one setting in two blocks, the first of them the baseline of both; then a final.
struct TwoPasses {
  testing_support::ResultsBuilder made;
  std::vector<TrialIndex> cells;

  /// seconds(cell, square) of a step.
  template <class Seconds>
  explicit TwoPasses(Seconds&& seconds) {
    for (std::size_t cell = 0; cell < 8; ++cell)
      cells.push_back(made.trial({{sweep::Param::engine, "engine@" + std::to_string(cell)}}));
    add({cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]}, seconds);
    add({cells[0], cells[6], cells[7]}, seconds);
  }

  template <class Seconds>
  BlockIndex add(const std::vector<TrialIndex>& arms, Seconds&& seconds) {
    constexpr std::size_t squares = 12;
    const BlockIndex block = made.block(arms);
    for (const TrialIndex arm : arms) {
      std::vector<double> of_arm;
      for (std::size_t square = 0; square < squares; ++square) of_arm.push_back(seconds(arm, square));
      made.slices(block, arm, of_arm);
    }
    return block;
  }

  template <class Seconds>
  void add_final(const std::vector<TrialIndex>& arms, Seconds&& seconds) {
    made.results.blocks[add(arms, seconds).value].measured_again = true;
  }

  [[nodiscard]] Fastest fastest() const { return fastest_of(made.results, contrasts(made.results)).at(0); }
};

/// Cells that take `seconds`, one after the other, and slow machines all of a square alike.
auto takes(const std::vector<double>& seconds) {
  return [seconds](TrialIndex cell, std::size_t square) {
    return seconds.at(cell.value) * (1 + 0.1 * static_cast<double>(square % 3));
  };
}

TEST(Fastest, OfCellsInTwoBlocksIsJudgedByTheSquaresThatTheyShareInTheFinal) {
  TwoPasses two(takes({1, 2, 2, 0.5, 0.6, 2, 0.5, 2}));
  EXPECT_THAT(two.fastest().trials, ElementsAre(two.cells[3], two.cells[6]));
  const auto due = two.fastest().due;
  ASSERT_THAT(due, ElementsAre(two.cells[0], two.cells[1], two.cells[3], two.cells[4], two.cells[6]));
  two.add_final(due, takes({1, 2, 2, 0.5, 0.6, 2, 0.45, 2}));
  const Fastest found = two.fastest();
  EXPECT_THAT(found.trials, ElementsAre(two.cells[6]));
  EXPECT_EQ(found.measured_again, 5U);
  EXPECT_THAT(found.due, IsEmpty());
}

TEST(Fastest, LeavesOutWhatIsSlowerThanTheBaselineHoweverFarThatScatters) {
  const TwoPasses two([](TrialIndex cell, std::size_t square) {
    const double scattered = square % 2 == 0 ? 0.25 : 2;  // cell 1 leads, but may be twice as slow as that
    return cell.value == 0 ? scattered : cell.value == 7 ? 1.5 * scattered : cell.value == 1 ? 0.5 : 0.6;
  });
  const auto trials = two.fastest().trials;
  EXPECT_EQ(trials.front(), two.cells[1]);
  EXPECT_THAT(trials, testing::Contains(two.cells[0]));
  EXPECT_THAT(trials, testing::Not(testing::Contains(two.cells[7])));
}

TEST(Fastest, HoldsWhatWasNotMeasuredAgainAndIsNotKnownToBeSlower) {
  const auto alike = takes({1, 0.5, 0.5, 0.5, 0.5, 2, 0.5, 0.5});
  TwoPasses two(alike);
  const auto due = two.fastest().due;
  ASSERT_EQ(due.size(), 6U) << "five of six, and the baseline";
  two.add_final(due, alike);
  const Fastest found = two.fastest();
  EXPECT_EQ(found.trials.size(), 6U);
  EXPECT_THAT(found.unconfirmed, ElementsAre(two.cells[7]));
  EXPECT_THAT(found.due, IsEmpty());
}

TEST(Fastest, HoldsTheTrulyFastestOfEightInTwoBlocksThatWasChosenAndThenToldApart) {
  constexpr int plantings = 100;
  std::mt19937_64 random(20260102);
  std::normal_distribution<double> noise(0, 0.05);
  std::uniform_real_distribution<double> slower(0.01, 0.20);
  int held = 0;
  std::size_t cells = 0;
  for (int planting = 0; planting < plantings; ++planting) {
    std::vector<double> truth;
    for (int cell = 0; cell < 8; ++cell) truth.push_back(cell == planting % 8 ? 1 : 1 + slower(random));
    const auto seconds = [&](TrialIndex cell, std::size_t) { return truth[cell.value] * std::exp(noise(random)); };
    TwoPasses two(seconds);
    two.add_final(two.fastest().due, seconds);
    const auto found = two.fastest();
    held += std::ranges::find(found.trials, two.cells[static_cast<std::size_t>(planting % 8)]) != found.trials.end();
    cells += found.trials.size();
  }
  std::printf("held in %d of %d plantings, %.1f of 8 cells in the set\n", held, plantings,
              static_cast<double>(cells) / plantings);
  EXPECT_GE(held, 95);
  EXPECT_LT(cells, 8U * plantings) << "a set of all cells says nothing";
}

TEST(Fastest, KnowsTheSettingsApart) {
  HandMade made;
  made.contrast(1, 2, 1.01);
  made.contrast(32, 0.5, 1.01);
  const auto found = made.fastest();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].where, "batch 1");
  EXPECT_THAT(found[0].trials, ElementsAre(made.contrasts.contrasts[0].b));
  EXPECT_EQ(found[1].where, "batch 32");
  EXPECT_THAT(found[1].trials, ElementsAre(made.contrasts.contrasts[1].a));
}

TEST(Fastest, IsNotSaidWhereACellWasNotComparedWithTheBaseline) {
  HandMade made;
  made.cell(2);
  made.cell(3).b = TrialIndex{1};
  EXPECT_THAT(made.fastest(), IsEmpty());
}

TEST(Fastest, OfFewCellsNothingIsMeasuredAgain) {
  HandMade made;
  for (const double ratio : {2.0, 3.0, 4.0, 5.0}) made.cell(ratio);
  EXPECT_THAT(made.fastest()[0].due, IsEmpty());
}

/// Engines 1 to 6 against the baseline, which is the third best.
HandMade seven_cells() {
  HandMade made;
  made.cell(0.9, Verdict::faster);
  made.cell(0.8, Verdict::faster);
  for (const double ratio : {2.0, 5.0, 4.0, 3.0}) made.cell(ratio);
  return made;
}

TEST(Fastest, OfManyCellsTheFiveBestAreMeasuredAgainBesideTheBaseline) {
  HandMade made = seven_cells();
  EXPECT_THAT(made.fastest()[0].due, ElementsAre(baseline, TrialIndex{1}, TrialIndex{2}, TrialIndex{3}, TrialIndex{6}));
  for (const std::uint32_t block : {0U, 1U, 2U, 5U}) made.made.results.blocks[block].measured_again = true;
  const Fastest again = made.fastest()[0];
  EXPECT_THAT(again.due, IsEmpty());
  EXPECT_EQ(again.measured_again, 5U) << "the baseline was measured beside them";
}

TEST(Fastest, WhatHasBecomeOneOfTheBestIsMeasuredAgainToo) {
  HandMade made = seven_cells();
  for (const std::uint32_t block : {0U, 1U, 2U, 5U}) made.made.results.blocks[block].measured_again = true;
  made.contrasts.contrasts[5].ratio = 4.5;  // its first figure flattered
  EXPECT_THAT(made.fastest()[0].due, ElementsAre(baseline, TrialIndex{1}, TrialIndex{2}, TrialIndex{3}, TrialIndex{5}));
}

TEST(Fastest, ThatMayBeIsMeasuredAgainBeforeWhatIsSlower) {
  HandMade made;
  for (const double ratio : {2.0, 2.0, 2.0, 2.0, 2.0}) made.cell(ratio);
  made.cell(4).low = 0.5;  // its figure is the last, but nobody knows
  EXPECT_THAT(made.fastest()[0].due, ElementsAre(baseline, TrialIndex{1}, TrialIndex{2}, TrialIndex{3}, TrialIndex{6}));
}

TEST(Fastest, IsLedByACellThatWasMeasuredAgain) {
  HandMade made = seven_cells();
  made.made.results.blocks[0].measured_again = true;
  EXPECT_THAT(made.fastest()[0].trials, ElementsAre(TrialIndex{1}, TrialIndex{2}));
}

}  // namespace
}  // namespace regatta::analysis
