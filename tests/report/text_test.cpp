#include "regatta/report/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace regatta::report {
namespace {

TEST(Clip, CutsAtCodePoints) {
  EXPECT_EQ(clip("abc", 3), "abc");
  EXPECT_EQ(clip("abcd", 3), "ab\u2026");
  EXPECT_EQ(clip("\u00e9\u00e9\u00e9\u00e9", 3), "\u00e9\u00e9\u2026");
  EXPECT_EQ(clip("abc", 0), "");
}

TEST(Escape, LeavesNoMarkup) { EXPECT_EQ(escape("<a b=\"'&\">"), "&lt;a b=&quot;&#39;&amp;&quot;&gt;"); }

TEST(ClipMiddle, KeepsBothEnds) {
  EXPECT_EQ(clip_middle("tensorflow eager", 16), "tensorflow eager");
  EXPECT_EQ(clip_middle("tensorflow eager", 11), "tenso\u2026eager");
  EXPECT_EQ(clip_middle("tensorflow graph", 11), "tenso\u2026graph");
  EXPECT_EQ(clip_middle("\u00e9\u00e9\u00e9\u20ac\u20ac\u20ac", 5), "\u00e9\u00e9\u2026\u20ac\u20ac");
}

TEST(CsvField, HoldsNoFormulaThatCallsSomething) {
  for (const char* text : {"=HYPERLINK(\"http://x\")", "@SUM(1)", "+cmd|' /C calc'!A0", "-1+cmd|x", " =f(1)"})
    EXPECT_TRUE(csv_field(text).starts_with("'") || csv_field(text).starts_with("\"'")) << csv_field(text);
  for (const char* text : {"+1", "-1", "-1.5e3", "-inf", "1e400", "=", "-", "a=b(c)", "f(1)", "a-b", ""})
    EXPECT_EQ(csv_field(text), text);
}

TEST(CsvField, HoldsNothingThatATerminalObeys) {
  EXPECT_EQ(csv_field("a\x1b[31m\a"), "a\ufffd[31m\ufffd");
  EXPECT_EQ(csv_field("a\u202eb"), "a\ufffdb");
  EXPECT_EQ(csv_field("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv_field("na\u00efve"), "na\u00efve");
}

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
