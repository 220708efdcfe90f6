#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/learning/trained.hpp"
#include "regatta/report/report.hpp"
#include "report/export/export.hpp"
#include "report/full_results.hpp"

namespace regatta::report {
namespace {

using testing_support::falling;
using testing_support::trained;

Json written_learning(const results::Results& results) {
  return Json::parse(report::json(results, analysis::findings_of(results)))["learning"];
}

TEST(LearningJson, IsNullForABenchmark) {
  const auto results = testing_support::full_results();
  const Json read = Json::parse(report::json(results, analysis::findings_of(results)));
  ASSERT_TRUE(read.contains("learning"));
  EXPECT_TRUE(read["learning"].is_null());
}

TEST(LearningJson, HoldsTheRankingWithTheValuesOfEverySeed) {
  const auto results = trained({.quality = falling(0.95, 0.004)});
  const Json learning = written_learning(results);
  EXPECT_EQ(learning["over"], true);
  EXPECT_EQ(learning["leader"], to_string(results.trials[0].hash));
  const Json& first = learning["ranking"][0];
  EXPECT_EQ(first["trial"], learning["leader"]);
  EXPECT_EQ(first["validation"]["seeds"].size(), 12U);
  EXPECT_EQ(first["validation"]["seeds"][0], 1000);
  EXPECT_EQ(first["in_set"], true);
  EXPECT_NEAR(first["test"]["mean"].get<double>(), 0.9, 0.005);
  EXPECT_EQ(learning["search"]["kind"], "halving");
  EXPECT_EQ(learning["samples"]["test"], 360);
}

TEST(LearningJson, TellsWhatWasRepeated) {
  auto results = trained({.quality = falling(0.95, 0.004)});
  Json learning = written_learning(results);
  const Json equal = learning["same_seed_twice"][0];
  EXPECT_EQ(equal["engine"], "native");
  EXPECT_EQ(equal["trial"], learning["leader"]);
  EXPECT_EQ(equal["seed"], 1000);
  EXPECT_EQ(equal["bit_equal"], true);
  EXPECT_TRUE(equal["differs_from"].is_null());
  EXPECT_EQ(learning["cost"]["repeats"], 1);
  const auto again =
      std::ranges::find(results.legs, sweep::Purpose::again, [](const auto& leg) { return leg.leg.purpose; });
  again->learned.curve.points[1].values[0] += 0.5;
  learning = written_learning(results);
  EXPECT_EQ(learning["same_seed_twice"][0]["bit_equal"], false);
  EXPECT_EQ(learning["same_seed_twice"][0]["differs_from"], 4000);
}

TEST(LearningJson, CountsOpeningsOfTheTestPart) {
  auto results = trained({.quality = falling(0.95, 0.004)});
  results.openings = {2, 1};
  const Json learning = written_learning(results);
  EXPECT_EQ(learning["test_openings"], 2);
  EXPECT_EQ(learning["unread_journals"], 1);
}

TEST(LearningJson, HasTheClockWithStart) {
  const auto results = testing_support::with_target(trained({.quality = falling(0.95, 0.004)}), 0.9);
  const Json learning = written_learning(results);
  const Json& target = learning["ranking"][0]["target"];
  EXPECT_NEAR(target["seconds_with_start"]["value"].get<double>() - target["all_seconds"]["value"].get<double>(), 1.75,
              1e-9)
      << "a cold start of 1.5 s, 0.25 s of preparation";
  EXPECT_EQ(learning["cold_starts"][0]["engine"], "native");
  EXPECT_EQ(learning["cold_starts"][0]["seconds"], 1.5);
  EXPECT_EQ(learning["cold_starts"][0]["processes"], 1);
}

TEST(LearningJson, WritesNullForWhatIsNotFinite) {
  const Json learning = written_learning(trained({.seeds = 1, .searches = false, .quality = falling(0.95, 0.004)}));
  EXPECT_TRUE(learning["ranking"][0]["validation"]["low"].is_null()) << "one seed has no interval";
  EXPECT_TRUE(learning["search"].is_null());
  EXPECT_TRUE(learning["ranking"][0]["test"].is_null());
  const Json open = written_learning(trained({.quality = falling(0.95, 0.004), .most_legs = 20}));
  EXPECT_TRUE(open["leader"].is_null());
  EXPECT_EQ(open["warnings"][0], "unfinished");
}

TEST(LearningJson, NamesTheObjectiveAsTheMetric) {
  const auto results = trained({.quality = falling(0.95, 0.004)});
  const Json document = Json::parse(report::json(results, analysis::findings_of(results)));
  EXPECT_EQ(document["metric"]["name"], "validation_accuracy");
  EXPECT_EQ(document["metric"]["better"], "higher");
  EXPECT_EQ(document["metric"]["scale"], "difference");
}

}  // namespace
}  // namespace regatta::report
