#include "regatta/json/comments.hpp"

#include <gtest/gtest.h>

#include "json/input_error.hpp"
#include "regatta/json/document.hpp"

namespace regatta::json {
namespace {

TEST(JsonComments, BecomeSpacesSoThatPlacesStay) {
  EXPECT_EQ(without_comments("[1, // one\n/* a\nb */ 2]"), "[1,       \n    \n     2]");
  EXPECT_EQ(without_comments("[1] // at the end of the file"), "[1]" + std::string(26, ' '));
}

TEST(JsonComments, OfTextsAreLeftAlone) {
  for (const char* text : {R"(["http://a", "/* b */", "c\"// d", "\\"])", "[1, 2]", "{\"a,]\": \",}\"}"})
    EXPECT_EQ(without_comments(text), text);
}

TEST(JsonComments, CommasBehindTheLastElementGo) {
  EXPECT_EQ(without_comments("{\"a\": [1, 2,],\n\"b\": {\"c\": [],}, /* end */}"),
            "{\"a\": [1, 2 ],\n\"b\": {\"c\": [] }           }");
}

TEST(JsonComments, CommasBehindNothingStay) {
  for (const char* text : {"[,]", "{,}", "[1,,]", "[1,2", "{\"a\":,}"}) EXPECT_EQ(without_comments(text), text);
}

TEST(JsonComments, WithoutAnEndStay) {
  EXPECT_EQ(without_comments("[1] /* open"), "[1] /* open");
  EXPECT_EQ(without_comments("[\"open // no comment"), "[\"open // no comment");
  EXPECT_EQ(without_comments("[\"open\\"), "[\"open\\");
}

TEST(JsonComments, ErrorsBehindThemNameTheRightLine) {
  EXPECT_EQ(input_error([] { parse(without_comments("// first\n{\"a\": 1, /* 2\n3 */ \"a\": 2}"), "f"); }),
            "f:3: /a: found the key \"a\" a second time (first on line 2), expected each key once");
}

}  // namespace
}  // namespace regatta::json
