#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "measuring/measuring.hpp"

namespace regatta::launcher {
namespace {

ToldNumbers told(const std::string& output) {
  ToldNumbers numbers;
  take_lines(numbers, output);
  return numbers;
}

TEST(ToldNumbers, AreThoseOfLinesThatAreJsonObjects) {
  const auto numbers =
      told("starting {\"a\": 1}\n  {\"a\": 2, \"b\": \"x\", \"c\": true}\r\n[3]\n{\"d\": -1e-3}\n{broken\n");
  EXPECT_EQ(numbers, (ToldNumbers{{"a", {2}}, {"d", {-1e-3}}}));
}

TEST(ToldNumbers, LastOneWins) { EXPECT_EQ(told("{\"a\": 1}\n{\"a\": 2}").at("a").value, 2); }

TEST(ToldNumbers, MayHaveAUnit) {
  const auto numbers = told(R"({"a": {"value": 1, "unit": "K"}, "b": {"value": 2}, "c": {"unit": "K"}})");
  EXPECT_EQ(numbers, (ToldNumbers{{"a", {1, "K"}}, {"b", {2}}}));
  EXPECT_EQ(
      told("{\"a\": {\"value\": 1, \"unit\": \"" + std::string(15, 'x') + "\xc2\xb5" + std::string(40, 'x') + "\"}}")
          .at("a")
          .unit.size(),
      32U);
}

TEST(ToldNumbers, MayBeNoneOrInfinite) {
  const auto numbers = told(R"({"a": NaN, "b": -nan, "c": Infinity, "d": {"value": -inf}, "e": "NaN", "f \" NaN": 1})");
  EXPECT_TRUE(std::isnan(numbers.at("a").value));
  EXPECT_TRUE(std::isnan(numbers.at("b").value));
  EXPECT_EQ(numbers.at("c").value, INFINITY);
  EXPECT_EQ(numbers.at("d").value, -INFINITY);
  EXPECT_FALSE(numbers.contains("e")) << "a text";
  EXPECT_EQ(numbers.at("f \" NaN").value, 1);
}

TEST(ToldNumbers, OfWhateverIsPrintedEnd) {
  EXPECT_TRUE(told("{\"a\": nanny}\n{\"a\": }\n{\"a\": \"\\\n{}\n{-}\n{\"\\}").empty());
  EXPECT_TRUE(told(std::string(60000, '{') + "}").empty());
}

}  // namespace
}  // namespace regatta::launcher
