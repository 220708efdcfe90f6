#include "regatta/json/cursor.hpp"

#include <gtest/gtest.h>

#include "json/input_error.hpp"

namespace regatta::json {
namespace {

/// The error of `read` for this JSON at /x of the file f.
template <class Read>
std::string error_about(const std::string& json, Read read) {
  const Node node = parse(json, "f");
  return input_error([&] { read(Cursor{node, {"f", node.line, "/x"}}); });
}

TEST(Cursor, IntegersHaveBothEnds) {
  const auto error = [](const std::string& json) {
    return error_about(json, [](const Cursor& c) { (void)c.integer(1, 9); });
  };
  EXPECT_EQ(error("1"), "no error");
  EXPECT_EQ(error("9"), "no error");
  EXPECT_EQ(error("0"), "f:1: /x: found 0, expected an integer from 1 to 9");
  EXPECT_EQ(error("10"), "f:1: /x: found 10, expected an integer from 1 to 9");
  EXPECT_EQ(error("1.0"), "f:1: /x: found 1.0, expected an integer from 1 to 9");
}

TEST(Cursor, IntegersMayBeAskedForInOtherWords) {
  EXPECT_EQ(error_about("10", [](const Cursor& c) { (void)c.integer(1, 9, "a digit above 0"); }),
            "f:1: /x: found 10, expected a digit above 0");
}

TEST(Cursor, EveryNumberIsOne) {
  const auto number = [](const std::string& json) {
    const Node node = parse(json, "f");
    return Cursor{node, {"f", 1, "/x"}}.as_number();
  };
  EXPECT_EQ(number("3"), 3.0);
  EXPECT_EQ(number("0.5"), 0.5);
  EXPECT_EQ(number("18446744073709551616"), 0x1p64);
  EXPECT_EQ(number("\"3\""), std::nullopt);
  EXPECT_EQ(number("true"), std::nullopt);
}

TEST(Cursor, FoundValuesAreShortAndSafeToPrint) {
  const auto error = [](const std::string& json) {
    return error_about(json, [](const Cursor& c) { (void)c.integer(1, 9); });
  };
  EXPECT_EQ(error('"' + std::string(1000, 'x') + '"'),
            "f:1: /x: found \"" + std::string(60, 'x') + "...\", expected an integer from 1 to 9");
  EXPECT_EQ(error("\"\\u001b[2J\\n\""), "f:1: /x: found \"\\u001b[2J\\n\", expected an integer from 1 to 9");
}

TEST(Cursor, QuantitiesAreAboveZero) {
  const auto seconds = [](const std::string& json) {
    return error_about(json, [](const Cursor& c) { (void)c.duration_seconds(); });
  };
  EXPECT_EQ(seconds("\"20us\""), "no error");
  EXPECT_EQ(seconds("\"0s\""), "f:1: /x: found \"0s\", expected a duration above zero such as \"300s\"");
  const auto fraction = [](const std::string& json) {
    return error_about(json, [](const Cursor& c) { (void)c.fraction(); });
  };
  EXPECT_EQ(fraction("\"100%\""), "no error");
  EXPECT_EQ(fraction("\"100.1%\""),
            "f:1: /x: found \"100.1%\", expected a percentage above zero, up to \"100%\", such as \"1%\"");
  const auto bytes = [](const std::string& json) {
    return error_about(json, [](const Cursor& c) { (void)c.size_bytes(); });
  };
  EXPECT_EQ(bytes("\"64MiB\""), "no error");
  EXPECT_EQ(bytes("\"0B\""), "f:1: /x: found \"0B\", expected a size above zero such as \"8GiB\"");
}

TEST(Cursor, ASingleValueIsAListOfOne) {
  const Node one = parse("3", "f");
  const auto items = Cursor{one, {"f", 1, "/x"}}.list_or_one("a level");
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].place.pointer, "/x");
  const Node two = parse("[3,\n4]", "f");
  const auto both = Cursor{two, {"f", 1, "/x"}}.list_or_one("a level");
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[1].place.pointer, "/x/1");
  EXPECT_EQ(both[1].place.line, 2U);
}

TEST(Name, MayStandInAFileName) {
  for (const char* name : {"a", "A9", "tf-2.15", "x_y", "0"}) EXPECT_TRUE(is_name(name)) << name;
  for (const char* name : {"", ".a", "-a", "_a", "a/b", "a..b", "..", "a b", "a@b", "\u00e9"})
    EXPECT_FALSE(is_name(name)) << name;
  EXPECT_TRUE(is_name(std::string(100, 'x')));
  EXPECT_FALSE(is_name(std::string(101, 'x')));
}

}  // namespace
}  // namespace regatta::json
