// `when`, `include` and `exclude` of a sweep file: what is read, and the exact text of every error.
#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(ReadPoints, Exclusions) {
  EXPECT_EQ(error_with(two_engines + "\"exclude\": {}"),
            "s.json:3: /exclude: found an empty object, expected a list of objects such as {\"engine\": \"numpy\", "
            "\"batch\": 32}");
  EXPECT_EQ(error_with(two_engines + "\"exclude\": [{}]"),
            "s.json:3: /exclude/0: found an empty object, expected at least one parameter");
  EXPECT_EQ(error_with(two_engines + "\"exclude\": [{\"engine\": \"torch\"}]"),
            "s.json:3: /exclude/0/engine: found \"torch\", expected a level of the axis engine");
  EXPECT_EQ(
      error_with(two_engines + "\"exclude\": [\n{\"loop\": \"fit\"}]"),
      "s.json:4: /exclude/0/loop: found the parameter \"loop\", which is no axis of this sweep, expected an axis");
  EXPECT_EQ(error_with(two_engines + "\"exclude\": [{\"bacth\": 3}]"),
            "s.json:3: /exclude/0/bacth: found the unknown parameter \"bacth\", expected " +
                three_params(R"("batch", "api" or "length")") + "; did you mean \"batch\"?");
  EXPECT_EQ(error_with(two_engines + "\"exclude\": [{\"engine\": \"native\"}, {\"engine\": \"numpy\"}]"),
            "s.json:3: /exclude: found exclusions that leave no point, expected at least one point to stay");
}

TEST(ReadPoints, AnExclusionMayListLevels) {
  const Sweep sweep =
      sweep_with(two_engines + "\"exclude\": [{\"engine\": [\"native\", \"numpy\"], \"mode\": \"eager\"}]");
  EXPECT_EQ(sweep.excludes, (std::vector<Condition>{{{Param::engine, {std::string("native"), std::string("numpy")}},
                                                     {Param::mode, {std::string("eager")}}}}));
  EXPECT_EQ(error_with(two_engines + "\"exclude\": [{\"engine\": [\"native\",\n\"torch\"]}]"),
            "s.json:4: /exclude/0/engine/1: found \"torch\", expected a level of the axis engine");
  EXPECT_EQ(error_with(two_engines + "\"exclude\": [{\"engine\": []}]"),
            "s.json:3: /exclude/0/engine: found an empty list, expected at least one level");
}

TEST(ReadPoints, Includes) {
  const auto error = [](const std::string& include) { return error_with(two_engines + "\"include\": " + include); };
  EXPECT_EQ(error("{}"),
            "s.json:3: /include: found an empty object, expected a list of objects such as {\"engine\": \"native\", "
            "\"batch\": 4096}");
  EXPECT_EQ(error("[{}]"), "s.json:3: /include/0: found an empty object, expected at least one parameter");
  EXPECT_EQ(error("[3]"), "s.json:3: /include/0: found 3, expected an object of parameters and levels");
  EXPECT_EQ(error("[{\"btch\": 1}]"), "s.json:3: /include/0/btch: found the unknown parameter \"btch\", expected " +
                                          three_params(R"("batch", "api" or "loop")") + "; did you mean \"batch\"?");
  EXPECT_EQ(error("[{\"batch\": [1,\n0]}]"),
            "s.json:4: /include/0/batch/1: found 0, expected an integer from 1 to 16777216");
  EXPECT_EQ(
      error("[{\"repeat\": 1}]"),
      "s.json:3: /include/0/repeat: found the parameter \"repeat\", expected the key \"repeats\" of the sweep, which "
      "makes it");
  EXPECT_EQ(error("[{\"batch\": {\"uniform\": [1, 8]}}]"),
            "s.json:3: /include/0/batch: found a random axis, expected levels or a range (random axes stand in "
            "\"axes\" or \"when\")");
}

TEST(ReadPoints, Conditions) {
  const auto error = [](const std::string& when) { return error_with(two_engines + "\"when\": " + when); };
  const std::string object =
      "expected an object such as {\"if\": {\"engine\": \"tensorflow\"}, \"axes\": {\"loop\": [\"fit\"]}}";
  EXPECT_EQ(error("{}"), "s.json:3: /when: found an empty object, expected a list of objects with \"if\" and \"axes\"");
  EXPECT_EQ(error("[3]"), "s.json:3: /when/0: found 3, " + object);
  EXPECT_EQ(
      error("[{\"axes\": {\"seed\": 1}}]"),
      "s.json:3: /when/0/if: found nothing, expected parameters and levels, such as {\"engine\": \"tensorflow\"}");
  EXPECT_EQ(error("[{\"if\": {\"mode\": \"eager\"}}]"),
            "s.json:3: /when/0/axes: found nothing, expected the axes that these points have");
  EXPECT_EQ(error("[{\"if\": {}, \"axes\": {}}]"),
            "s.json:3: /when/0/if: found an empty object, expected at least one parameter");
  EXPECT_EQ(error("[{\"if\": {\"mode\": \"eager\"}, \"axes\": {}}]"),
            "s.json:3: /when/0/axes: found an empty object, expected at least one parameter");
  EXPECT_EQ(error("[{\"iff\": {}}]"),
            "s.json:3: /when/0/iff: found the unknown key \"iff\", expected \"if\" or \"axes\"; did you mean \"if\"?");
  EXPECT_EQ(error("[{\"if\": {\"engine\": \"torch\"}, \"axes\": {\"seed\": 1}}]"),
            "s.json:3: /when/0/if/engine: found \"torch\", expected a level of the axis engine");
  EXPECT_EQ(
      error("[{\"if\": {\n\"batch\": 1}, \"axes\": {\"seed\": 1}}]"),
      "s.json:4: /when/0/if/batch: found the parameter \"batch\", which is no axis before this, expected \"model\", "
      "\"engine\" or \"mode\"");
  EXPECT_EQ(
      error("[{\"if\": {\"engine\": \"numpy\"}, \"axes\": {\n\"mode\": \"eager\"}}]"),
      "s.json:4: /when/0/axes/mode: found the axis \"mode\", which all points have, expected a parameter that is not "
      "in \"axes\" of the sweep");
}

TEST(ReadPoints, ARandomAxisUnderAConditionNeedsSamplesToo) {
  const std::string when = R"("when": [{"if": {"mode": "eager"}, "axes": {"batch": {"uniform": [1, 64]}}}])";
  EXPECT_EQ(error_with(two_engines + when),
            "s.json:3: /when/0/axes/batch: found the random axis \"batch\", expected the key \"samples\" beside "
            "\"axes\", how many points to draw");
  EXPECT_EQ(error_with(two_engines + when + ", \"samples\": 3"), "no error");
  EXPECT_EQ(error_with(two_engines + R"("when": [{"if": {"mode": "eager"}, "axes": {"batch": [{"uniform": [1, 64]}]}}],
                       "samples": 3)"),
            "s.json:3: /when/0/axes/batch/0: found a random axis, expected levels or a range (what is random is the "
            "whole of an axis)");
}

TEST(ReadPoints, AConditionMayNameWhatAChoiceHasNotDrawn) {
  const std::string axes = R"("axes": {"model": "mlp-10", "batch": {"choice": [16, 32]}}, "samples": 1,
)";
  for (const char* const batch : {"16", "32"}) {
    EXPECT_EQ(error_with(axes + R"("when": [{"if": {"batch": )" + batch + R"(}, "axes": {"seed": 1}}])"), "no error");
  }
  EXPECT_EQ(error_with(axes + R"("when": [{"if": {"batch": 64}, "axes": {"seed": 1}}])"),
            "s.json:3: /when/0/if/batch: found 64, expected a level of the axis batch");
}

}  // namespace
}  // namespace regatta::sweep
