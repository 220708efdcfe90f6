#include "regatta/base/clean.hpp"

#include <gtest/gtest.h>

namespace regatta {
namespace {

TEST(Clean, KeepsTextAndReplacesControlCharacters) {
  EXPECT_EQ(clean("na\u00efve \u2013 \U0001f600"), "na\u00efve \u2013 \U0001f600");
  EXPECT_EQ(clean("a\x1b[2Jb"), "a\ufffd[2Jb");
  EXPECT_EQ(clean("a\u009bb"), "a\ufffdb");
  EXPECT_EQ(clean("a\u202eb"), "a\ufffdb");
}

TEST(Clean, JoinsOrKeepsLines) {
  EXPECT_EQ(clean("a\nb\tc"), "a b c");
  EXPECT_EQ(clean("a\r\n\tb", Lines::kept), "a\n\tb");
}

TEST(Clean, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(clean("\xff"), "\ufffd");
  EXPECT_EQ(clean("\xc3"), "\ufffd");  // cut short
  EXPECT_EQ(clean(std::string_view("\xc3\xa9", 1)), "\ufffd") << "what lies behind the text is not its own";
  EXPECT_EQ(clean("\xc0\xaf"), "\ufffd\ufffd");            // a slash in two bytes
  EXPECT_EQ(clean("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");  // a surrogate
}

TEST(EscapedJson, SaysTheSameAndHoldsNothingThatATerminalObeys) {
  EXPECT_EQ(escaped_json("{\"a\": \"b\\u001b\"}\n"), "{\"a\": \"b\\u001b\"}\n");
  EXPECT_EQ(escaped_json("\"na\u00efve \U0001f600\""), "\"na\u00efve \U0001f600\"");
  EXPECT_EQ(escaped_json("\"a\u202eb\x7f\u009b\u2028\""), "\"a\\u202eb\\u007f\\u009b\\u2028\"");
}

TEST(Utf8, IsToldFromOtherEncodings) {
  for (const char* text : {"", "plain\n\x1b", "na\u00efve", "\U0001f600"}) EXPECT_TRUE(is_utf8(text)) << text;
  for (const char* text : {"caf\xe9", "caf\xe9/results", "\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80"})
    EXPECT_FALSE(is_utf8(text)) << text;
}

}  // namespace
}  // namespace regatta
