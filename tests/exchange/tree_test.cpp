#include "regatta/exchange/tree.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "regatta/base/error.hpp"

namespace regatta::exchange {
namespace {

using Leaves = std::vector<std::vector<float>>;

/// Numbers of such different sizes that any other order of a sum shows.
Leaves leaves(std::size_t count, std::size_t elements) {
  std::mt19937 draw(7);
  std::uniform_real_distribution<float> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-20, 20);
  Leaves made(count, std::vector<float>(elements));
  for (auto& leaf : made) {
    for (float& value : leaf) value = std::ldexp(mantissa(draw), exponent(draw));
  }
  return made;
}

/// Slow, and by definition.
float tree_of(const Leaves& leaves, std::size_t first, std::size_t count, std::size_t at) {
  if (count == 1) return leaves[first][at];
  const std::size_t half = count / 2;
  return tree_of(leaves, first, half, at) + tree_of(leaves, first + half, half, at);
}

std::vector<const float*> pointers(const Leaves& leaves) {
  std::vector<const float*> at;
  for (const auto& leaf : leaves) at.push_back(leaf.data());
  return at;
}

TEST(TreeSum, AddsInTheOrderOfTheTree) {
  constexpr std::size_t elements = 2500;  // more than two pieces, and a rest
  for (const std::size_t count : {1U, 2U, 4U, 8U, 16U}) {
    const Leaves all = leaves(count, elements);
    std::vector<float> sum(elements);
    tree_sum(sum.data(), pointers(all), elements);
    for (std::size_t i = 0; i < elements; ++i) ASSERT_EQ(sum[i], tree_of(all, 0, count, i)) << count << " " << i;
  }
}

TEST(TreeSum, TellsWhetherAllSumsAreFinite) {
  constexpr std::size_t elements = 2500;
  const float most = std::numeric_limits<float>::max();
  for (const std::size_t count : {1U, 2U, 8U}) {
    Leaves all = leaves(count, elements);
    std::vector<float> sum(elements);
    EXPECT_TRUE(tree_sum(sum.data(), pointers(all), elements));
    for (const float none : {std::nanf(""), std::numeric_limits<float>::infinity(), -2 * most}) {
      for (const std::size_t at : {std::size_t{0}, std::size_t{1024}, elements - 1}) {
        const float before = std::exchange(all.back()[at], none);
        EXPECT_FALSE(tree_sum(sum.data(), pointers(all), elements)) << count << " " << none << " " << at;
        all.back()[at] = before;
      }
    }
    all.front()[7] = all.back()[7] = most;
    EXPECT_EQ(tree_sum(sum.data(), pointers(all), elements), count == 1) << "too large, though nobody wrote it";
  }
}

TEST(TreeSum, OfAnotherNumberOfPartsIsRefused) {
  const Leaves all = leaves(3, 1);
  float sum = 0;
  EXPECT_THROW(tree_sum(&sum, pointers(all), 1), InternalError);
}

std::vector<float> sum_of(const Leaves& all, std::size_t first, std::size_t count) {
  const std::size_t elements = all[first].size();
  LeafSum sum(elements, count);
  std::vector<float> out(elements);
  for (std::size_t leaf = 0; leaf < count; ++leaf) sum.take(leaf, all[first + leaf].data(), 0, elements, out.data());
  return out;
}

TEST(LeafSum, HasTheBitsOfTheTreeWithFewBuffers) {
  constexpr std::size_t elements = 2500;
  const Leaves all = leaves(16, elements);
  for (const std::size_t count : {1U, 2U, 4U, 8U, 16U}) {
    const std::vector<float> sum = sum_of(all, 0, count);
    for (std::size_t i = 0; i < elements; ++i) ASSERT_EQ(sum[i], tree_of(all, 0, count, i)) << count << " " << i;
  }
}

TEST(LeafSum, TakesRangesAsTheyComeAndWritesWhereTheLastLeafLies) {
  constexpr std::size_t elements = 40;
  constexpr std::size_t half = 17;
  Leaves all = leaves(4, elements);
  const Leaves before = all;
  LeafSum sum(elements, 4);
  for (std::size_t leaf = 0; leaf < 4; ++leaf) {
    float* const at = all[leaf].data();
    sum.take(leaf, at, half, elements, at + half);
    sum.take(leaf, at, 0, half, at);
  }
  for (std::size_t leaf = 0; leaf < 3; ++leaf) EXPECT_EQ(all[leaf], before[leaf]);
  for (std::size_t i = 0; i < elements; ++i) ASSERT_EQ(all[3][i], tree_of(before, 0, 4, i)) << i;
}

TEST(LeafSum, OfRanksThatShareTheLeavesIsTheSameTree) {
  constexpr std::size_t elements = 5;
  const Leaves all = leaves(8, elements);
  for (const std::size_t ranks : {1U, 2U, 4U, 8U}) {
    Leaves parts;
    for (std::size_t rank = 0; rank < ranks; ++rank) parts.push_back(sum_of(all, rank * 8 / ranks, 8 / ranks));
    std::vector<float> sum(elements);
    tree_sum(sum.data(), pointers(parts), elements);
    for (std::size_t i = 0; i < elements; ++i) ASSERT_EQ(sum[i], tree_of(all, 0, 8, i)) << ranks;
  }
}

TEST(LeafSum, OfThreeLeavesIsNoTree) { EXPECT_THROW(LeafSum(1, 3), InternalError); }

}  // namespace
}  // namespace regatta::exchange
