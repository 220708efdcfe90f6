#include "regatta/stats/modes.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "regatta/base/random.hpp"

namespace regatta::stats {
namespace {

std::vector<double> cluster(double centre, double width, std::size_t n) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(centre + width * static_cast<double>(random_unit(n, i)));
  return values;
}

std::vector<double> joined(std::vector<std::vector<double>> parts) {
  std::vector<double> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(FindModes, SeesTwoSpeedsWithTheirWeights) {
  const auto modes = find_modes(joined({cluster(0.5, 0.01, 30), cluster(0, 0.01, 70)}), 0.01);
  ASSERT_EQ(modes.size(), 2U);
  EXPECT_NEAR(modes[0].value, 0.005, 0.003);
  EXPECT_NEAR(modes[1].value, 0.505, 0.003);
  EXPECT_DOUBLE_EQ(modes[0].weight, 0.7);
  EXPECT_DOUBLE_EQ(modes[1].weight, 0.3);
}

TEST(FindModes, SeesALatticeOfThree) {
  EXPECT_EQ(find_modes(joined({cluster(0, 0, 20), cluster(0.69, 0, 20), cluster(1.39, 0, 20)}), 0.01).size(), 3U);
}

TEST(FindModes, TakesFewStragglersForNoMode) {
  EXPECT_EQ(find_modes(joined({cluster(0, 0.01, 95), cluster(3, 0.01, 5)}), 0.01).size(), 1U) << "5 %";
  EXPECT_EQ(find_modes(joined({cluster(0, 0.01, 10), cluster(3, 0.01, 4)}), 0.01).size(), 1U) << "4 values";
}

TEST(FindModes, IgnoresGapsBelowTheMargin) {
  EXPECT_EQ(find_modes(joined({cluster(0, 0, 20), cluster(0.005, 0, 20)}), 0.01).size(), 1U);
  EXPECT_EQ(find_modes(joined({cluster(0, 0, 20), cluster(0.005, 0, 20)}), 0.001).size(), 2U);
}

TEST(FindModes, SeesOneInNoise) {
  std::size_t several = 0;
  for (std::uint64_t run = 0; run < 500; ++run) {
    std::vector<double> values;
    for (std::uint64_t i = 0; i < 24; ++i) {
      double sum = 0;
      for (std::uint64_t j = 0; j < 12; ++j) sum += static_cast<double>(random_unit(run, 12 * i + j));
      values.push_back(sum);
    }
    several += find_modes(values, 0.01).size() > 1 ? 1 : 0;
  }
  EXPECT_LE(several, 5U);
  EXPECT_TRUE(find_modes({}, 0.01).empty());
}

}  // namespace
}  // namespace regatta::stats
