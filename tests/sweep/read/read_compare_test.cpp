// Comparisons of a sweep file: what is read, and the exact text of every error.
#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(ReadCompare, Comparisons) {
  const auto error = [](const std::string& inside) {
    return error_with(two_engines + "\"compare\": {" + inside + "}");
  };
  EXPECT_EQ(error("\"over\": [\"engine\"]"),
            "s.json:3: /compare/baseline: found nothing, expected the arm that others are compared with, such as "
            "{\"engine\": \"native\"}");
  EXPECT_EQ(error("\"over\": [], \"baseline\": {}"),
            "s.json:3: /compare/over: found an empty list, expected at least one parameter");
  EXPECT_EQ(error("\"over\": [\"egine\"], \"baseline\": {}"), "s.json:3: /compare/over/0: found \"egine\", expected " +
                                                                  three_params(R"("engine", "device" or "api")") +
                                                                  "; did you mean \"engine\"?");
  EXPECT_EQ(error("\"over\": [\"mode\",\n\"loop\"], \"baseline\": {\"loop\": \"fit\"}"),
            "s.json:4: /compare/over/1: found \"loop\", which is no axis of this sweep, expected \"model\", \"engine\" "
            "or \"mode\"");
  EXPECT_EQ(error("\"over\": [\"mode\", \"mode\"], \"baseline\": {}"),
            "s.json:3: /compare/over/1: found \"mode\" a second time, expected each parameter once");
  EXPECT_EQ(error("\"over\": \"mode\", \"baseline\": {}"),
            "s.json:3: /compare/baseline: found an empty object, expected at least one parameter");
  EXPECT_EQ(error("\"over\": \"mode\", \"baseline\": {\"engine\": \"native\"}"),
            "s.json:3: /compare/baseline/engine: found the parameter \"engine\", expected only what \"over\" names "
            "(\"mode\")");
  EXPECT_EQ(
      error("\"over\": \"mode\", \"baseline\": {\"mode\": \"eager\"}, \"pairs\": \"one-fctor\""),
      "s.json:3: /compare/pairs: found \"one-fctor\", expected \"baseline\", \"all\" or \"one-factor\"; did you mean "
      "\"one-factor\"?");
}

TEST(ReadCompare, BaselinesThatMatchNoArmOrSeveral) {
  const auto error = [](const std::string& inside) {
    return error_with(two_engines + "\"compare\": {" + inside + "}");
  };
  const std::string rule = ", expected it to match exactly one arm of each comparison";
  EXPECT_EQ(error("\"over\": \"engine\",\n\"baseline\": {\"engine\": \"torch\"}"),
            "s.json:4: /compare/baseline: found {\"engine\":\"torch\"}, which matches no arm (\"torch\" is no level of "
            "the axis engine)" +
                rule);
  EXPECT_EQ(error("\"over\": [\"engine\", \"mode\"], \"baseline\": {\"engine\": \"native\"}"),
            "s.json:3: /compare/baseline: found {\"engine\":\"native\"}, which matches more than one arm (engine "
            "native, mode eager and "
            "engine native, mode graph)" +
                rule);
  EXPECT_EQ(error_with(two_engines + "\"compare\": {\"over\": \"engine\", \"baseline\": {\"engine\": \"native\"}}, "
                                     "\"exclude\": [{\"engine\": \"native\"}]"),
            "s.json:3: /compare/baseline: found {\"engine\":\"native\"}, which matches no arm (exclude removes it "
            "everywhere)" +
                rule);
}

TEST(ReadCompare, PairsWithoutABaselineNeedNone) {
  const Sweep sweep = sweep_with(two_engines + "\"compare\": {\"over\": \"engine\", \"pairs\": \"one-factor\"}");
  EXPECT_EQ(sweep.compare->pairs, Pairs::one_factor);
  EXPECT_TRUE(sweep.compare->baseline.empty());
  EXPECT_EQ(sweep_with(two_engines + "\"compare\": {\"over\": \"engine\", \"pairs\": \"all\"}").compare->pairs,
            Pairs::all);
}

TEST(ReadCompare, ReplicatesAreSeedsAndRepeatsUnlessItNamesOthers) {
  const auto replicates = [](const std::string& inside) {
    return sweep_with(two_engines + "\"repeats\": 3, \"compare\": {" + inside + "}").compare->replicates;
  };
  const std::string modes = "\"over\": \"mode\", \"baseline\": {\"mode\": \"eager\"}";
  EXPECT_EQ(replicates(modes), (std::vector<Param>{Param::seed, Param::repeat}));
  EXPECT_EQ(replicates(modes + ", \"replicates\": []"), std::vector<Param>());
  EXPECT_EQ(replicates(modes + ", \"replicates\": \"model\""), std::vector<Param>{Param::model});
  EXPECT_EQ(replicates(modes + ", \"replicates\": [\"repeat\", \"engine\"]"),
            (std::vector<Param>{Param::repeat, Param::engine}));
  EXPECT_EQ(replicates("\"over\": \"repeat\", \"baseline\": {\"repeat\": 0}"), std::vector<Param>{Param::seed})
      << "repeats are what it compares";
}

TEST(ReadCompare, ReplicatesThatAreNoneOrAreCompared) {
  const auto error = [](const std::string& replicates) {
    return error_with(two_engines + "\"compare\": {\"over\": \"mode\", \"baseline\": {\"mode\": \"eager\"}, " +
                      "\"replicates\": " + replicates + "}");
  };
  EXPECT_EQ(error("\"sed\""),
            "s.json:3: /compare/replicates: found \"sed\", expected \"model\", \"engine\" or \"mode\"");
  EXPECT_EQ(error("[\"batch\"]"),
            "s.json:3: /compare/replicates/0: found \"batch\", expected \"model\", \"engine\" or \"mode\"");
  EXPECT_EQ(error("[\"engine\", \"mode\"]"),
            "s.json:3: /compare/replicates/1: found \"mode\", which \"over\" compares, expected an axis that is not "
            "compared, such as a seed");
  EXPECT_EQ(error("[\"engine\", \"engine\"]"),
            "s.json:3: /compare/replicates/1: found \"engine\" a second time, expected each parameter once");
}

}  // namespace
}  // namespace regatta::sweep
