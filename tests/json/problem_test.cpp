#include "regatta/json/problem.hpp"

#include <gtest/gtest.h>

#include "json/input_error.hpp"

namespace regatta::json {
namespace {

TEST(OneOf, ReadsAsASentence) {
  EXPECT_EQ(one_of({"a"}), "\"a\"");
  EXPECT_EQ(one_of({"a", "b"}), "\"a\" or \"b\"");
  EXPECT_EQ(one_of({"a", "b", "c"}), "\"a\", \"b\" or \"c\"");
}

TEST(Refuse, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(input_error([] {
              refuse({"f", 3, "/a"}, {"x", "y", "z"});
            }),
            "f:3: /a: found x, expected y; did you mean \"z\"?");
  EXPECT_EQ(input_error([] { refuse({"f", 0, ""}, {"x", "y", ""}); }), "f: found x, expected y");
}

}  // namespace
}  // namespace regatta::json
