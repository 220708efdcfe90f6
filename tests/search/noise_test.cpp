#include "search/noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

TEST(Noise, CountsEachPairOnceAsItStoodLast) {
  std::vector<Rung> rungs(2);
  add_pair(rungs[0], 0, 0.50, 0.70);
  add_pair(rungs[0], 1, 0.40, 0.50);
  add_pair(rungs[1], 0, 0.90, 0.92);
  const Noise noise = noise_of(rungs);
  EXPECT_EQ(noise.pairs, 2U);
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
