#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/learning/trained.hpp"
#include "regatta/report/training_so_far.hpp"

namespace regatta::report {
namespace {

nlohmann::json after(std::size_t legs) {
  const auto results = testing_support::trained(
      {.configurations = 18, .quality = testing_support::falling(0.9, 0.01), .most_legs = legs});
  const auto findings = analysis::findings_of(results);
  return nlohmann::json::parse(
      training_so_far_json(results, findings, analysis::training_so_far(results, *findings.learning, 2)));
}

TEST(TrainingSoFarJson, HoldsStageCostAndCurves) {
  const auto so_far = after(23);
  EXPECT_EQ(so_far["stage"], "rung");
  EXPECT_EQ(so_far["rung"], 1);
  EXPECT_EQ(so_far["recorded"], 2);
  EXPECT_EQ(so_far["metric"], "validation_accuracy");
  EXPECT_EQ(so_far["everything"], 216);
  ASSERT_EQ(so_far["ahead"].size(), 2U);
  const auto& first = so_far["ahead"][0];
  EXPECT_EQ(first["label"], "learning_rate 0.1");
  EXPECT_EQ(first["curve"].back(), nlohmann::json::array({first["samples"], first["last"]}));
  EXPECT_EQ(first["runs"], 1);
}

TEST(TrainingSoFarJson, HasNoRungWhereNobodyCompetes) {
  EXPECT_TRUE(after(100'000)["rung"].is_null());
  EXPECT_EQ(after(100'000)["stage"], "over");
  EXPECT_EQ(after(100'000)["legs_due"], 0);
}

}  // namespace
}  // namespace regatta::report
