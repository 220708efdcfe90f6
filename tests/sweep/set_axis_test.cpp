#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(SetAxis, ReplacesAnAxisInItsPlaceOrAddsOne) {
  Sweep sweep = sweep_with(R"("axes": {"batch": [1, 2], "model": ["mlp-10", {"name": "mine", "matmul": 10}]})");
  set_axis(sweep, "batch=8,16,32");
  set_axis(sweep, "mode=eager");
  set_axis(sweep, "model=mine");
  ASSERT_EQ(sweep.axes.size(), 3U);
  EXPECT_EQ(sweep.axes[0].levels, (std::vector<Value>{std::int64_t{8}, std::int64_t{16}, std::int64_t{32}}));
  EXPECT_EQ(sweep.axes[1].levels, std::vector<Value>{std::string("mine")});
  EXPECT_EQ(sweep.axes[2].param, Param::mode);
}

TEST(SetAxis, RefusesWhatTheFileCouldNotSayEither) {
  const auto error = [](const std::string& assignment) {
    Sweep sweep = sweep_with(R"("axes": {"model": "noop"})");
    return input_error([&] { set_axis(sweep, assignment); });
  };
  EXPECT_EQ(error("batch"), "--set batch: found no '=', expected AXIS=LEVEL,LEVEL");
  EXPECT_EQ(error("batch="), "--set batch=: found \"\", expected an integer from 1 to 16777216");
  EXPECT_EQ(error("batch=32,"), "--set batch=32,: found \"\", expected an integer from 1 to 16777216");
  EXPECT_EQ(error("batch=0"), "--set batch=0: found \"0\", expected an integer from 1 to 16777216");
  EXPECT_EQ(error("batch=99999999999999999999"),
            "--set batch=99999999999999999999: found \"99999999999999999999\", expected an integer from 1 to 16777216");
  EXPECT_EQ(error("batch=1,2,1"), "--set batch=1,2,1: found 1 a second time, expected each level once");
  EXPECT_EQ(error("mode=grpah"),
            "--set mode=grpah: found \"grpah\", expected \"eager\", \"graph\", \"xla\" or \"v1-session\"; did you mean "
            "\"graph\"?");
  EXPECT_EQ(error("engine=native@x"),
            "--set engine=native@x: found \"native@x\", expected an environment of the engine native " +
                environment_places + " (there is none)");
  EXPECT_EQ(
      error("repeat=1"),
      "--set repeat=1: found the parameter \"repeat\", expected the key \"repeats\" of the sweep, which makes it");
}

}  // namespace
}  // namespace regatta::sweep
