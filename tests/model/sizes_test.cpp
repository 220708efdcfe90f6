#include "regatta/model/sizes.hpp"

#include <gtest/gtest.h>

#include "regatta/base/error.hpp"

namespace regatta::model {
namespace {

TEST(Sizes, ElementsAreTheProductOfTheAxes) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({7, 3, 2}), 42);
}

TEST(Sizes, WhatNoMachineHoldsIsRefused) {
  const std::int64_t large = std::int64_t{1} << 31;
  EXPECT_NO_THROW(element_count({std::int64_t{1} << 48}));
  EXPECT_THROW(element_count({large, large}), InputError);
  EXPECT_THROW(element_count({large, large, large}), InputError);  // beyond 64 bits
  EXPECT_THROW(element_count({-1}), InputError);
}

}  // namespace
}  // namespace regatta::model
