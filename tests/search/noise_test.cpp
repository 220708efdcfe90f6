#include <gtest/gtest.h>

#include <cmath>

#include "search/search.hpp"
#include "support.hpp"

namespace regatta::search::testing {
namespace {

void add_pair(Rung& rung, std::size_t configuration, std::optional<double> original, std::optional<double> clone) {
  rung.standings.push_back({{.configuration = configuration, .purpose = sweep::Purpose::search}, original});
  rung.standings.push_back({{.configuration = configuration, .purpose = sweep::Purpose::clone}, clone});
}

TEST(Noise, IsThePooledSpreadWithinPairs) {
  std::vector<Rung> rungs(1);
  add_pair(rungs[0], 0, 0.50, 0.52);
  add_pair(rungs[0], 1, 0.90, 0.86);
  const Noise noise = noise_of(rungs);
  EXPECT_EQ(noise.pairs, 2U);
  EXPECT_NEAR(noise.spread, std::sqrt((0.02 * 0.02 + 0.04 * 0.04) / 4), 1e-12);
}

TEST(Noise, IsTheRungsOwnWhereEnoughPairsReachedIt) {
  std::vector<Rung> rungs(2);
  for (const std::size_t configuration : {0U, 1U, 2U, 3U}) add_pair(rungs[0], configuration, 0.2, 0.6);
  for (const std::size_t configuration : {0U, 1U, 2U}) add_pair(rungs[1], configuration, 0.90, 0.92);
  const Noise noise = noise_of(rungs);
  EXPECT_EQ(noise.pairs, 3U);
  EXPECT_FALSE(noise.of_earlier);
  EXPECT_NEAR(noise.spread, 0.02 / std::sqrt(2), 1e-12) << "early runs scatter more";
}

TEST(Noise, CountsEachPairOnceAsItStoodLastWhereFewReachedTheRung) {
  std::vector<Rung> rungs(2);
  add_pair(rungs[0], 0, 0.50, 0.70);
  add_pair(rungs[0], 1, 0.40, 0.50);
  add_pair(rungs[1], 0, 0.90, 0.92);
  const Noise noise = noise_of(rungs);
  EXPECT_EQ(noise.pairs, 2U);
  EXPECT_TRUE(noise.of_earlier);
  EXPECT_NEAR(noise.spread, std::sqrt((0.02 * 0.02 + 0.1 * 0.1) / 4), 1e-12);
}

TEST(Noise, IsNotToldByPairsOfWhichOneDivergedOrIsAlone) {
  std::vector<Rung> rungs(1);
  add_pair(rungs[0], 0, 0.5, std::nullopt);
  rungs[0].standings.push_back({{.configuration = 1}, 0.5});
  EXPECT_EQ(noise_of(rungs).pairs, 0U);
  EXPECT_EQ(noise_of({}).pairs, 0U);
}

}  // namespace
}  // namespace regatta::search::testing
