#include "sweep/read/problem.hpp"

#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
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

TEST(PlaceIn, FindsTheLineAgain) {
  const Sweep sweep = sweep_with("\"axes\": {\"model\":\n[\"noop\"]}");
  EXPECT_EQ(place_in(sweep, "/axes/model/0").line, 3U);
  EXPECT_EQ(place_in(sweep, "/exclude").line, 1U);
  EXPECT_EQ(place_in(Sweep{}, "/axes").line, 0U);
  EXPECT_EQ(place_in(Sweep{}, "/axes").file, "sweep");
}

}  // namespace
}  // namespace regatta::sweep
