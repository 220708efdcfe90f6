#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "data/batches/batches.hpp"

namespace regatta::data {
namespace {

using testing::ElementsAre;
using Classes = std::vector<std::int32_t>;

Classes classes_repeated(const std::vector<std::pair<std::int32_t, int>>& all) {
  Classes classes;
  for (const auto& [each, count] : all) classes.insert(classes.end(), static_cast<std::size_t>(count), each);
  return classes;
}

std::int64_t tested_of(const RowParts& parts, const Classes& classes, std::int32_t wanted) {
  return std::ranges::count_if(parts.test, [&](std::uint32_t row) { return classes[row] == wanted; });
}

/// The numbers are those of tests/workers/python/test_order.py.
TEST(RowParts, AreDrawnAsPythonDrawsThem) {
  const Classes classes = classes_repeated({{0, 6}, {1, 4}, {2, 3}, {7, 1}});
  EXPECT_THAT(row_parts({.rows = 14, .test = 0.2, .classes = classes}).test, ElementsAre(4, 8));
  EXPECT_THAT(row_parts({.rows = 14, .test = 0.5, .classes = classes}).test, ElementsAre(0, 2, 4, 6, 8, 10, 11));
  EXPECT_THAT(row_parts({.rows = 10, .test = 0.2}).test, ElementsAre(7, 9));
  EXPECT_THAT(row_parts({.rows = 6, .test = 0.2, .classes = {0, 1, 2, 3, 4, 5}}).test, ElementsAre(5));
}

TEST(RowParts, GiveEachClassItsShare) {
  const Classes classes = classes_repeated({{0, 50}, {1, 50}, {2, 50}});
  const RowParts parts = row_parts({.rows = 150, .test = 0.2, .classes = classes});
  for (const std::int32_t each : {0, 1, 2}) EXPECT_EQ(tested_of(parts, classes, each), 10);
  EXPECT_EQ(parts.training.size(), 120U);
  EXPECT_TRUE(std::ranges::is_sorted(parts.training));
  const Classes rare = classes_repeated({{0, 97}, {1, 2}, {2, 1}});
  const RowParts kept = row_parts({.rows = 100, .test = 0.2, .classes = rare});
  EXPECT_EQ(tested_of(kept, rare, 2), 0) << "the only row is needed to learn from";
  EXPECT_LE(tested_of(kept, rare, 1), 1);
}

TEST(RowParts, OfASeriesAreItsBeginningAndItsEnd) {
  const RowParts parts = row_parts({.rows = 10, .test = 0.3, .order = RowOrder::time, .classes = Classes(10)});
  EXPECT_THAT(parts.training, ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(parts.test, ElementsAre(7, 8, 9));
}

TEST(RowParts, DivideNoGroup) {
  Classes groups;
  for (std::int32_t row = 0; row < 60; ++row) groups.push_back(row * 7 % 12);
  const RowParts parts = row_parts({.rows = 60, .test = 0.25, .groups = groups});
  std::set<std::int32_t> tested;
  for (const std::uint32_t row : parts.test) tested.insert(groups[row]);
  for (const std::uint32_t row : parts.training) EXPECT_FALSE(tested.contains(groups[row]));
  EXPECT_EQ(parts.test.size(), 15U);
  EXPECT_EQ(row_parts({.rows = 4, .test = 0.25, .groups = {1, 1, 5, 5}}).test.size(), 2U)
      << "the smallest that there is";
  EXPECT_TRUE(row_parts({.rows = 3, .test = 0.3, .groups = {1, 1, 1}}).training.empty());
}

TEST(RowParts, LeaveAtLeastOneRowOnEachSide) {
  EXPECT_EQ(row_parts({.rows = 2, .test = 0.001}).test.size(), 1U);
  EXPECT_EQ(row_parts({.rows = 2, .test = 0.999}).training.size(), 1U);
  EXPECT_EQ(row_parts({.rows = 100, .test = 0.29}).test.size(), 29U);
}

TEST(RowParts, ArePartsOfATensor) {
  const model::Tensor tensor{"x", {1, 3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6}};
  const std::uint32_t rows[] = {2, 0};
  const model::Tensor part = rows_at(tensor, rows, "test_x");
  EXPECT_EQ(part.name, "test_x");
  EXPECT_EQ(part.shape, (model::Shape{2, 2}));
  EXPECT_THAT(std::get<std::vector<float>>(part.values), ElementsAre(5, 6, 1, 2));
}

}  // namespace
}  // namespace regatta::data
