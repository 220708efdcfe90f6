#include "measuring/command_arm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

using testing::HasSubstr;

std::string refusal(const ToldNumbers& told) {
  try {
    metric_of(told, "t");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CommandMetric, IsTheNumberUnderItsKey) { EXPECT_EQ(metric_of({{"t", {0.5}}, {"u", {9}}}, "t"), 0.5); }

TEST(CommandMetric, IsATimeInAnyUnit) {
  EXPECT_EQ(metric_of({{"t", {900, "ms"}}}, "t"), 0.9);
  EXPECT_EQ(metric_of({{"t", {2, "min"}}}, "t"), 120);
  EXPECT_THAT(refusal({{"t", {300, "K"}}}), HasSubstr("told 300 K under 't', the metric of this command, and K is no"));
}

TEST(CommandMetric, MustBeThere) {
  EXPECT_THAT(refusal({{"u", {1}}}), HasSubstr("no JSON line with a number under 't'"));
}

TEST(CommandMetric, MustBeATimeThatWorkCanTake) {
  EXPECT_THAT(refusal({{"t", {0}}}), HasSubstr("told 0 under 't', which is no time in seconds above 0"));
  EXPECT_THAT(refusal({{"t", {-1}}}), HasSubstr("told -1 under"));
  EXPECT_THAT(refusal({{"t", {NAN}}}), HasSubstr("told nan under"));
  EXPECT_THAT(refusal({{"t", {INFINITY}}}), HasSubstr("told inf under"));
}

}  // namespace
}  // namespace regatta::launcher
