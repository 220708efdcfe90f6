#include "regatta/stats/many_contrasts.hpp"

#include <gtest/gtest.h>

namespace regatta::stats {
namespace {

TEST(EBenjaminiHochberg, AsksMoreOfFewerDiscoveries) {
  // 4 contrasts: the best needs 80, two 40 each, three 26.7, four 20.
  EXPECT_EQ(e_benjamini_hochberg(std::vector<double>{79, 1, 2, 3}), (std::vector<bool>{false, false, false, false}));
  EXPECT_EQ(e_benjamini_hochberg(std::vector<double>{80, 1, 2, 3}), (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(e_benjamini_hochberg(std::vector<double>{40, 1, 41, 3}), (std::vector<bool>{true, false, true, false}));
  EXPECT_EQ(e_benjamini_hochberg(std::vector<double>{20, 20, 20, 20}), (std::vector<bool>{true, true, true, true}));
  EXPECT_TRUE(e_benjamini_hochberg({}).empty());
}

TEST(BenjaminiHochberg, TakesAllUpToTheLastBelowTheLine) {
  // Of 4 at 5 %: the line is 0.0125, 0.025, 0.0375, 0.05. The third smallest, 0.03, lies below it, so the second counts
  // though 0.028 > 0.025.
  EXPECT_EQ(benjamini_hochberg(std::vector<double>{0.03, 0.2, 0.001, 0.028}),
            (std::vector<bool>{true, false, true, true}));
  EXPECT_EQ(benjamini_hochberg(std::vector<double>{0.03, 0.9}), (std::vector<bool>{false, false}));
  EXPECT_TRUE(benjamini_hochberg({}).empty());
}

}  // namespace
}  // namespace regatta::stats
