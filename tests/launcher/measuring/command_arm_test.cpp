#include "measuring/command_arm.hpp"

#include <gtest/gtest.h>

#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

TEST(CommandMetric, IsTheLastJsonLineWithTheKey) {
  EXPECT_EQ(metric_of("starting\n{\"t\": 1}\n{\"t\": 0.5, \"u\": 9}\ndone\n", "t"), 0.5);
}

TEST(CommandMetric, MustBeANumberThatTimeCanHave) {
  EXPECT_THROW(metric_of("", "t"), InputError);
  EXPECT_THROW(metric_of("{\"t\": \"1\"}", "t"), InputError);
  EXPECT_THROW(metric_of("{\"t\": -1}", "t"), InputError);
  EXPECT_THROW(metric_of("{\"u\": 1}", "t"), InputError);
}

}  // namespace
}  // namespace regatta::launcher
