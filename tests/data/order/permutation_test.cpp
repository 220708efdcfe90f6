#include "regatta/data/permutation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "regatta/base/error.hpp"

namespace regatta::data {
namespace {

std::vector<std::uint32_t> all_images(std::int64_t size, std::uint64_t key) {
  std::vector<std::uint32_t> images(static_cast<std::size_t>(size));
  Permutation(size, key).images(0, images);
  return images;
}

TEST(Permutation, TakesEveryPlaceOnce) {
  for (const std::int64_t size : {1, 2, 3, 4, 5, 7, 31, 32, 33, 1437, 1797, 50000, 65536, 65537, 1 << 20}) {
    std::vector<std::uint32_t> images = all_images(size, 7);
    std::sort(images.begin(), images.end());
    std::vector<std::uint32_t> expected(images.size());
    std::iota(expected.begin(), expected.end(), 0U);
    EXPECT_EQ(images, expected) << size;
  }
}

TEST(Permutation, IsTheSameWhereverItIsEntered) {
  const std::vector<std::uint32_t> whole = all_images(1797, 3);
  for (const std::int64_t first : {0, 1, 42, 43, 44, 1000, 1796}) {
    std::vector<std::uint32_t> part(static_cast<std::size_t>(std::min<std::int64_t>(100, 1797 - first)));
    Permutation(1797, 3).images(first, part);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + first)) << first;
  }
}

TEST(Permutation, ReachesTheLastPlacesOfTheLargestDataset) {
  const std::int64_t size = most_samples - 1;
  std::vector<std::uint32_t> images(1000);
  Permutation(size, 1).images(size - 1000, images);
  std::sort(images.begin(), images.end());
  EXPECT_EQ(std::unique(images.begin(), images.end()), images.end());
  EXPECT_LT(images.back(), size);
}

TEST(Permutation, RefusesSizesThatItCannotHold) {
  EXPECT_THROW(Permutation(0, 0), InternalError);
  EXPECT_THROW(Permutation(most_samples, 0), InternalError);
}

/// Chi-square of where sample 0 .. size - 1 go over many keys, in 16 x 16 cells of (from, to).
double chi_square(std::int64_t size, int keys) {
  constexpr std::size_t cells = 16;
  std::vector<double> counts(cells * cells);
  for (int key = 0; key < keys; ++key) {
    const auto images = all_images(size, static_cast<std::uint64_t>(key));
    for (std::size_t i = 0; i < images.size(); ++i)
      ++counts[i * cells / images.size() * cells + images[i] * cells / images.size()];
  }
  const double expected = static_cast<double>(size) * keys / (cells * cells);
  double sum = 0;
  for (const double count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

TEST(Permutation, SendsEachPartEverywhereAlike) {
  // 225 degrees of freedom: mean 225, deviation 21; half of a bad cipher's keys lie far beyond five deviations.
  for (const std::int64_t size : {1600, 4096, 50000}) EXPECT_LT(chi_square(size, 40), 225 + 5 * 21.2) << size;
}

TEST(Permutation, LeavesNeighboursNoNearerThanChance) {
  constexpr std::int64_t size = 10000;
  double far = 0;
  const int keys = 50;
  for (int key = 0; key < keys; ++key) {
    const auto images = all_images(size, static_cast<std::uint64_t>(key));
    for (std::size_t i = 1; i < images.size(); ++i)
      far += std::abs(static_cast<double>(images[i]) - static_cast<double>(images[i - 1]));
  }
  // Two uniform places lie a third of the size apart, with a deviation of 0.2357 of it.
  const double pairs = static_cast<double>(keys) * (size - 1);
  EXPECT_NEAR(far / pairs / size, 1.0 / 3, 5 * 0.2357 / std::sqrt(pairs));
}

TEST(Permutation, DiffersFromKeyToKey) {
  const auto one = all_images(1797, 1);
  const auto two = all_images(1797, 2);
  int same = 0;
  for (std::size_t i = 0; i < one.size(); ++i) same += one[i] == two[i] ? 1 : 0;
  EXPECT_LT(same, 10);  // one is expected
}

}  // namespace
}  // namespace regatta::data
