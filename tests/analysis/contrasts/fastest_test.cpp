#include "regatta/analysis/fastest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/hand_made.hpp"

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
  made.cell(2).survives = false;
  made.cell(3).low.reset();
  made.cell(4, Verdict::undecided);  // though its interval is clear
  made.cell(5);
  EXPECT_THAT(made.fastest()[0].trials, ElementsAre(baseline, TrialIndex{1}, TrialIndex{2}, TrialIndex{3}));
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
  EXPECT_THAT(made.fastest()[0].open, IsEmpty());
}

/// Engines 1 to 6 against the baseline, which is the third best.
HandMade seven_cells() {
  HandMade made;
  made.cell(0.9, Verdict::faster);
  made.cell(0.8, Verdict::faster);
  for (const double ratio : {2.0, 5.0, 4.0, 3.0}) made.cell(ratio);
  return made;
}

TEST(Fastest, OfManyCellsTheFiveBestAreMeasuredAgain) {
  HandMade made = seven_cells();
  const auto open = made.fastest()[0].open;
  EXPECT_THAT(open, ElementsAre(BlockIndex{0}, BlockIndex{1}, BlockIndex{2}, BlockIndex{5}));
  for (const BlockIndex block : open) made.made.results.blocks[block.value].measured_again = true;
  const Fastest again = made.fastest()[0];
  EXPECT_THAT(again.open, IsEmpty());
  EXPECT_EQ(again.measured_again, 5U) << "the baseline was measured beside them";
}

TEST(Fastest, WhatHasBecomeOneOfTheBestIsMeasuredAgainToo) {
  HandMade made = seven_cells();
  for (const std::uint32_t block : {0U, 1U, 2U, 5U}) made.made.results.blocks[block].measured_again = true;
  made.contrasts.contrasts[5].ratio = 4.5;  // its first figure flattered
  EXPECT_THAT(made.fastest()[0].open, ElementsAre(BlockIndex{4}));
}

TEST(Fastest, IsLedByACellThatWasMeasuredAgain) {
  HandMade made = seven_cells();
  made.made.results.blocks[0].measured_again = true;
  EXPECT_THAT(made.fastest()[0].trials, ElementsAre(TrialIndex{1}, TrialIndex{2}));
}

}  // namespace
}  // namespace regatta::analysis
