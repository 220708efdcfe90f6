#include <gtest/gtest.h>

#include "sweep/read/read.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

Sweep all_kinds() {
  return sweep_with(R"("axes": {"engine": ["native", "tensorflow"], "model": "mlp-10"},
    "when": [{"if": {"engine": "tensorflow"}, "axes": {"loop": ["fit"]}}], "include": [{"batch": [8], "model": "noop"}],
    "repeats": 3)");
}

TEST(Axes, AreThoseOfAllPointsAndOfSome) {
  const Sweep sweep = all_kinds();
  EXPECT_EQ(axis_params(sweep), (std::vector<Param>{Param::engine, Param::model, Param::loop, Param::batch}));
  EXPECT_EQ(axis_names(sweep), (std::vector<std::string>{"repeat", "engine", "model", "loop", "batch"}));
  EXPECT_TRUE(has_axis(sweep, Param::loop));
  EXPECT_TRUE(has_axis(sweep, Param::repeat));
  EXPECT_FALSE(has_axis(sweep, Param::mode));
  EXPECT_EQ(find_axis(sweep, Param::loop), nullptr);
  EXPECT_EQ(find_axis(sweep, Param::engine), &sweep.axes[0]);
}

TEST(Axes, KnowEveryLevelOfAParameter) {
  const Sweep sweep = all_kinds();
  EXPECT_TRUE(has_level(sweep, Param::model, std::string("noop")));  // included
  EXPECT_TRUE(has_level(sweep, Param::loop, std::string("fit")));
  EXPECT_TRUE(has_level(sweep, Param::loop, std::string("custom")));  // where the condition does not hold
  EXPECT_FALSE(has_level(sweep, Param::loop, std::string("train_on_batch")));
  EXPECT_FALSE(has_level(sweep, Param::engine, std::string("torch")));
  EXPECT_TRUE(has_level(sweep, Param::repeat, std::int64_t{2}));
  EXPECT_FALSE(has_level(sweep, Param::repeat, std::int64_t{3}));
}

TEST(Axes, SayWhyALevelIsTakenAway) {
  Sweep sweep = all_kinds();
  keep_only(sweep, "engine=native");
  sweep.left_out.push_back({Param::model, std::string("noop"), "it is away"});
  EXPECT_EQ(why_taken_away(sweep, Param::engine, std::string("tensorflow")), "--only engine leaves it out");
  EXPECT_EQ(why_taken_away(sweep, Param::engine, std::string("native")), std::nullopt);
  EXPECT_EQ(why_taken_away(sweep, Param::model, std::string("noop")), "noop is left out: it is away");
}

}  // namespace
}  // namespace regatta::sweep
