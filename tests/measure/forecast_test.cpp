#include "measure/forecast.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace regatta::measure {
namespace {

using testing::ElementsAre;

TEST(Forecast, TakesAnArmThatWasNotSeenForOneOfItsEngineOrLikeTheOthers) {
  const std::array<SeenArm, 5> arms = {{{"torch", 2}, {"torch"}, {"jax", 4}, {"torch", 3}, {"numpy"}}};
  EXPECT_THAT(filled(arms), ElementsAre(2, 2.5, 4, 3, 3));
  EXPECT_THAT(filled(std::array<SeenArm, 2>{{{"torch"}, {"jax"}}}), ElementsAre(0, 0));
}

TEST(Forecast, CountsTheStartOfEveryPairButTheFirst) {
  const Forecast ahead = forecast({.square_seconds = 2, .start_seconds = 5, .squares_left = 10});
  EXPECT_EQ(ahead.pairs, 10);
  EXPECT_DOUBLE_EQ(ahead.seconds, 10 * 2 + 9 * 5);
}

TEST(Forecast, GivesEveryPairAsManySquares) {
  const Forecast ahead =
      forecast({.square_seconds = 2, .start_seconds = 5, .squares_each = 3, .squares_left = 12, .wall_seconds = 1000});
  EXPECT_EQ(ahead.pairs, 4);
  EXPECT_DOUBLE_EQ(ahead.seconds, 12 * 2 + 3 * 5);
}

TEST(Forecast, WaitsForWhatMustComeBeforeTheFirstSquare) {
  const Forecast ahead = forecast({.before_seconds = 30, .square_seconds = 2, .squares_left = 1});
  EXPECT_DOUBLE_EQ(ahead.seconds, 32);
}

TEST(Forecast, BeginsNoPairThatTheWallTimeDoesNotHold) {
  // Seven arms of frameworks: 16 s until the first square, 2 squares of 1.7 s to a pair, 12.5 s to start one.
  SquaresToGo squares{.before_seconds = 16,
                      .square_seconds = 1.7,
                      .start_seconds = 12.5,
                      .squares_each = 2,
                      .squares_left = 14,
                      .wall_seconds = 105};
  EXPECT_EQ(forecast(squares).pairs, 6);
  EXPECT_NEAR(forecast(squares).seconds, 16 + 6 * 3.4 + 5 * 12.5, 1e-9);
  squares.wall_seconds = 98.8;
  EXPECT_EQ(forecast(squares).pairs, 5) << "the sixth ends at 98.9 s";
}

TEST(Forecast, BeginsThePairThatTheLoopTakesToFit) {
  SquaresToGo squares{.square_seconds = 2, .start_seconds = 9, .squares_left = 10, .wall_seconds = 12};
  EXPECT_EQ(forecast(squares).pairs, 1);
  squares.reckoned_start_seconds = 5;
  EXPECT_EQ(forecast(squares).pairs, 2);
  EXPECT_DOUBLE_EQ(forecast(squares).seconds, 2 + 9 + 2) << "it starts for longer than was reckoned";
}

TEST(Forecast, GoesOnFromTheSquareThatTheLastPairHasServed) {
  const SquaresToGo squares{.square_seconds = 2,
                            .start_seconds = 5,
                            .squares_each = 3,
                            .pairs = 2,
                            .served = 1,
                            .squares = 4,
                            .squares_left = 5};
  EXPECT_EQ(forecast(squares).pairs, 3);
  EXPECT_DOUBLE_EQ(forecast(squares).seconds, 2 * 2 + 5 + 3 * 2);
}

TEST(Forecast, BeginsOnlyWholePairsOnceAnIntervalHasEnoughSquares) {
  SquaresToGo squares{.square_seconds = 2,
                      .start_seconds = 5,
                      .squares_each = 3,
                      .pairs = 2,
                      .served = 3,
                      .squares = 6,
                      .squares_left = 2,
                      .pays_starts = true};
  EXPECT_EQ(forecast(squares).pairs, 3) << "6 squares are too few";
  EXPECT_DOUBLE_EQ(forecast(squares).seconds, 5 + 2 * 2);
  squares.squares = 7;
  EXPECT_EQ(forecast(squares).pairs, 2);
  EXPECT_EQ(forecast(squares).seconds, 0);
}

TEST(Forecast, TakesLongStartsFromTheActiveTimeAfterSevenPairs) {
  SquaresToGo squares{
      .square_seconds = 0.5, .start_seconds = 4, .squares_each = 2, .squares_left = 14 + 8 + 7, .pays_starts = true};
  EXPECT_EQ(forecast(squares).pairs, 8) << "the eighth takes 2 squares, and 6 for its start";
  EXPECT_DOUBLE_EQ(forecast(squares).seconds, 16 * 0.5 + 7 * 4);
  squares.pays_starts = false;
  EXPECT_EQ(forecast(squares).pairs, 15);
}

TEST(Forecast, EndsThePairThatRunsWithTheSquareInWhichTheWallTimeEnds) {
  const SquaresToGo squares{
      .square_seconds = 2, .start_seconds = 5, .squares_each = 4, .squares_left = 100, .wall_seconds = 3};
  EXPECT_EQ(forecast(squares).pairs, 1);
  EXPECT_DOUBLE_EQ(forecast(squares).seconds, 4);
}

TEST(Forecast, EndsForSquaresThatTakeNoTime) {
  EXPECT_LE(forecast({.square_seconds = 0, .squares_left = 1e12}).pairs, 100'000);
}

}  // namespace
}  // namespace regatta::measure
