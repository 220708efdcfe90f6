#include "regatta/report/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace regatta::report {
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

TEST(Clip, CutsAtCodePoints) {
  EXPECT_EQ(clip("abc", 3), "abc");
  EXPECT_EQ(clip("abcd", 3), "ab\u2026");
  EXPECT_EQ(clip("\u00e9\u00e9\u00e9\u00e9", 3), "\u00e9\u00e9\u2026");
  EXPECT_EQ(clip("abc", 0), "");
}

TEST(Escape, LeavesNoMarkup) { EXPECT_EQ(escape("<a b=\"'&\">"), "&lt;a b=&quot;&#39;&amp;&quot;&gt;"); }

using testing::ElementsAre;

TEST(Width, CountsCodePoints) {
  EXPECT_EQ(width("abc"), 3U);
  EXPECT_EQ(width("\u00e9\u20ac"), 2U);
  EXPECT_EQ(width(""), 0U);
}

TEST(Wrap, BreaksAtBlanks) {
  EXPECT_THAT(wrap("one two  three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("\u00e9\u00e9 \u00e9\u00e9", 5), ElementsAre("\u00e9\u00e9 \u00e9\u00e9"));
  EXPECT_THAT(wrap("overlong a", 3), ElementsAre("overlong", "a"));
  EXPECT_TRUE(wrap("", 10).empty());
}

}  // namespace
}  // namespace regatta::report
