#include "regatta/json/document.hpp"

#include <gtest/gtest.h>

#include "json/input_error.hpp"
#include "regatta/json/text.hpp"

namespace regatta::json {
namespace {

TEST(JsonDocument, KnowsTheLineOfEveryKindOfValue) {
  const Node root = parse("{\"a\":\n[1,\n22\n, \"x\",\n null,\ntrue\n],\n\"b\": {\n\"c\":\n-0.5\n}}", "f");
  EXPECT_EQ(line_of(root, ""), 1U);
  EXPECT_EQ(line_of(root, "/a"), 1U);  // a member has the line of its key
  EXPECT_EQ(line_of(root, "/a/0"), 2U);
  EXPECT_EQ(line_of(root, "/a/1"), 3U);
  EXPECT_EQ(line_of(root, "/a/2"), 4U);
  EXPECT_EQ(line_of(root, "/a/3"), 5U);
  EXPECT_EQ(line_of(root, "/a/4"), 6U);
  EXPECT_EQ(line_of(root, "/b/c"), 9U);
  EXPECT_EQ(find_member(find_member(root, "b")->node, "c")->node.line, 10U);
}

TEST(JsonDocument, GivesTheLineOfTheDeepestPartThatExists) {
  const Node root = parse("{\"a\":\n[1,\n2]}", "f");
  EXPECT_EQ(line_of(root, "/a/7"), 1U);
  EXPECT_EQ(line_of(root, "/a/1/x"), 3U);
  EXPECT_EQ(line_of(root, "/b"), 1U);
  EXPECT_EQ(line_of(root, "/a/01x"), 1U);
}

TEST(JsonDocument, KeepsTheBytesOfObjects) {
  const std::string text = "[1, {\"a\": {}} ]";
  const Node root = parse(text, "f");
  const Node& object = (*root.as<Node::Array>())[1];
  EXPECT_EQ(text.substr(object.begin, object.end - object.begin), "{\"a\": {}}");
}

TEST(JsonDocument, NumbersKeepTheirKind) {
  const Node root = parse("[9223372036854775807, 9223372036854775808, 1.0, -9223372036854775808, -0]", "f");
  const auto& items = *root.as<Node::Array>();
  EXPECT_EQ(*items[0].as<std::int64_t>(), INT64_MAX);
  EXPECT_EQ(items[1].as<Real>()->value, 9223372036854775808.0);
  EXPECT_EQ(items[2].as<Real>()->value, 1.0);
  EXPECT_EQ(*items[3].as<std::int64_t>(), INT64_MIN);
  EXPECT_EQ(*items[4].as<std::int64_t>(), 0);
}

TEST(JsonDocument, NumbersAreDescribedAsTheyAreWritten) {
  for (const char* number :
       {"7", "18446744073709551615", "18446744073709551616", "1e15", "1000000000000000.0", "1E+16", "-0.0", "1.50"})
    EXPECT_EQ(describe(parse(number, "f")), number);
  EXPECT_EQ(describe(parse("0." + std::string(100, '1'), "f")), "0." + std::string(58, '1') + "...");
}

TEST(JsonDocument, NumbersBeyondADoubleAreRefused) {
  EXPECT_EQ(input_error([] { parse("[1,\n-1e999]", "f"); }),
            "f:2: found a number that no double holds, expected one of at most 1.8e308");
  EXPECT_EQ(input_error([] { parse("[1e-400]", "f"); }),
            "f:1: found 1e-400, a number that no double holds, expected 0 or at least 4.9e-324");
  EXPECT_NO_THROW(parse("[0e-400, 0.0, 5e-324]", "f"));
}

TEST(JsonDocument, DepthHasALimit) {
  const std::string open(max_depth, '[');
  const std::string close(max_depth, ']');
  EXPECT_EQ(input_error([&] { parse(open + close, "f"); }), "no error");
  EXPECT_EQ(input_error([&] { parse("[\n" + open + close + "]", "f"); }),
            "f:2: found lists or objects nested deeper than 64, expected at most 64");
}

TEST(JsonDocument, SizeHasALimit) {
  EXPECT_EQ(input_error([] { parse(std::string(max_bytes + 1, ' '), "f"); }),
            "f: found 4194305 bytes, expected at most 4194304");
}

TEST(JsonDocument, DuplicateKeysAreFoundInEveryObject) {
  EXPECT_EQ(input_error([] { parse("[{\"x\": 1},\n{\"a/b\": {\"y\": 1, \"z\": 2,\n\"y\": 3}}]", "f"); }),
            "f:3: /1/a~1b/y: found the key \"y\" a second time (first on line 2), expected each key once");
}

TEST(JsonText, PointersAreEscapedAndSafeToPrint) {
  EXPECT_EQ(join_pointer("", "a"), "/a");
  EXPECT_EQ(join_pointer("/x", "a/b~c"), "/x/a~1b~0c");
  EXPECT_EQ(join_pointer("", "\x1b[2J"), "/\\u001b[2J");
  EXPECT_EQ(join_pointer("", std::string(100, 'k')), "/" + std::string(60, 'k') + "...");
}

TEST(JsonText, LinesEndsAreShownAsPeopleWriteThemAndIdentifyAsEver) {
  EXPECT_EQ(show("a\n\t\r\x01\"\\"), R"("a\n\t\r\u0001\"\\")");
  EXPECT_EQ(quote("a\n\t\r\x01\"\\"), R"("a\u000a\u0009\u000d\u0001\"\\")");
  EXPECT_EQ(join_pointer("", "a\nb"), "/a\\nb");
  EXPECT_EQ(show(std::string(61, 'x')), '"' + std::string(60, 'x') + "...\"");
}

TEST(Compact, IsTheValueWithoutWhiteSpace) {
  for (const char* text : {"null", "true", "-3", "0.5", "1e+30", "18446744073709551615", R"("a\"b")", "[]", "{}",
                           R"([1,[2.5,null],{"a":{"b":false},"c":"d"}])"})
    EXPECT_EQ(compact(parse(text, "f")), text);
  EXPECT_EQ(compact(parse(" [ 0.10 , 1e-1 ] ", "f")), "[0.1,0.1]");
}

TEST(AsJson, IsNothingForAnythingElse) {
  EXPECT_TRUE(as_json("[1]"));
  EXPECT_TRUE(as_json(" 2 "));
  for (const char* text : {"", "auto", "[1", "{1}", "nan"}) EXPECT_FALSE(as_json(text)) << text;
}

TEST(JsonText, ShortensBetweenCharacters) {
  EXPECT_EQ(shorten("abc", 3), "abc");
  EXPECT_EQ(shorten("abcd", 3), "abc...");
  EXPECT_EQ(shorten("ab\u00e9d", 3), "ab...");
}

TEST(JsonText, FindsTheFirstByteThatIsNotUtf8) {
  EXPECT_EQ(find_strange_byte("caf\u00e9 \u20ac \U0001f600"), std::nullopt);
  EXPECT_EQ(find_strange_byte(std::string_view("a\0b", 3)), 1U);
  EXPECT_EQ(find_strange_byte("ab\xff"), 2U);
  EXPECT_EQ(find_strange_byte("\x80"), 0U);              // a continuation without a head
  EXPECT_EQ(find_strange_byte("a\xc3"), 1U);             // cut short
  EXPECT_EQ(find_strange_byte("\xc0\xaf"), 0U);          // overlong
  EXPECT_EQ(find_strange_byte("\xe0\x80\xaf"), 0U);      // overlong
  EXPECT_EQ(find_strange_byte("\xf0\x80\x80\xaf"), 0U);  // overlong
  EXPECT_EQ(find_strange_byte("\xed\xa0\x80"), 0U);      // a surrogate
  EXPECT_EQ(find_strange_byte("\xf4\x90\x80\x80"), 0U);  // beyond U+10FFFF
  EXPECT_EQ(find_strange_byte("\xf5\x80\x80\x80"), 0U);
}

TEST(JsonText, NumbersReadBackAsTheSameKind) {
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(json_number(2), "2.0");
  EXPECT_EQ(json_number(1e20), "1e+20");
}

}  // namespace
}  // namespace regatta::json
