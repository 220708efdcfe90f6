#include "report/html_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/markup.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;

TEST(HtmlText, IsEscapedAndCut) {
  EXPECT_EQ(cell("<b>"), "&lt;b&gt;");
  EXPECT_EQ(cell("abcdef", 4), "abc\u2026");
  EXPECT_EQ(note("a & b"), "<p class=\"note\">a &amp; b</p>\n");
}

TEST(HtmlText, SaysHowMuchWasLeftOutAndWhereItIs) {
  EXPECT_THAT(more(3, 10, "rows"), HasSubstr("7 more rows are in the result file"));
  EXPECT_EQ(more(10, 10, "rows"), "");
}

TEST(HtmlText, TablesScrollByKeyboard) {
  const std::string html = scrolled("all \"trials\"", "<table></table>");
  EXPECT_EQ(testing_support::markup_problem(html), "");
  EXPECT_THAT(html, HasSubstr("tabindex=\"0\" role=\"region\" aria-label=\"all &quot;trials&quot;\""));
}

TEST(HtmlText, DetailsWithoutContentAreNone) {
  EXPECT_EQ(details("x", ""), "");
  EXPECT_THAT(details("x <y>", "<p>z</p>"), HasSubstr("<summary>x &lt;y&gt;</summary>"));
}

}  // namespace
}  // namespace regatta::report
