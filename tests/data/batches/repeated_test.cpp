#include <gtest/gtest.h>

#include "data/batches/batches.hpp"

namespace regatta::data {
namespace {

model::Tensor rows(std::vector<float> values) {
  const auto count = static_cast<std::int64_t>(values.size()) / 2;
  return {"x", {count, 2}, std::move(values)};
}

TEST(Repeated, CountsTestRowsThatStandInTraining) {
  const auto training = rows({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(repeated_rows(training, rows({3, 4, 4, 3, 1, 2, 1, 2})), 3) << "as often as they stand there";
  EXPECT_EQ(repeated_rows(training, rows({2, 3})), 0) << "rows are not read across their ends";
}

TEST(Repeated, AreNoneOfAnEmptyPart) {
  EXPECT_EQ(repeated_rows(rows({1, 2}), rows({})), 0);
  EXPECT_EQ(repeated_rows(rows({}), rows({1, 2})), 0);
}

}  // namespace
}  // namespace regatta::data
