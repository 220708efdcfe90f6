#include "measure/same_work.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/model_of.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::measure {
namespace {

using protocol::Checked;
using protocol::Evidence;
using Losses = std::vector<std::vector<double>>;

std::string losses_apart(const Losses& a, const Losses& b) {
  return measure::difference(Checked{{0}, a, {}}, Checked{{1}, b, {}});
}

/// One step, two parameters of which `small` is 1e-5 of the other.
Evidence evidence() {
  return {{{{"big", {2, 1, -1}}, {"small", {2e-5, 1e-5, 1e-5}}}},
          {{{"big", {0.02, 0.01, -0.01}}, {"small", {2e-7, 1e-7, 1e-7}}}},
          {{"big", 1e-6}, {"small", 1e-9}},
          {-1e-10, 0.5}};
}

std::string difference(const Evidence& a, const Evidence& b) {
  return measure::difference(Checked{{0}, {{1.0}}, a}, Checked{{1}, {{1.0}}, b});
}

TEST(SameWork, AcceptsRoundingAndRefusesMore) {
  EXPECT_EQ(losses_apart({{1.0, 2.0}}, {{1.0005, 2.0}}), "");
  EXPECT_EQ(losses_apart({{1.0, 2.0}, {1.0, 4.0}}, {{1.0, 2.0}, {1.0, 3.0}}),
            "step 2, row 1: 4 and 3 differ by 0.25 (relative; tolerance 0.001)");
}

TEST(SameWork, ComparesSmallLossesAbsolutely) {
  EXPECT_EQ(losses_apart({{1e-7}}, {{3e-7}}), "");
  EXPECT_NE(losses_apart({{1e-3}}, {{3e-3}}), "");
}

TEST(SameWork, NanIsADifference) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(losses_apart({{nan}}, {{nan}}), "");
}

TEST(SameWork, RefusesLossesThatAreMissing) {
  EXPECT_NE(losses_apart({}, {}), "");
  EXPECT_NE(losses_apart({{1.0}}, {{1.0}, {1.0}}), "");
  EXPECT_NE(losses_apart({{1.0}}, {{1.0, 1.0}}), "");
  EXPECT_NE(losses_apart({{}}, {{}}), "");
}

TEST(SameWork, AcceptsTheRoundingOfGradientsAndUpdates) {
  Evidence other = evidence();
  other.gradients[0]["big"][1] += 0.0015;
  other.updates[0]["big"][1] += 0.00015;
  EXPECT_EQ(difference(evidence(), other), "");
}

TEST(SameWork, NamesTheGradientThatDiffers) {
  Evidence other = evidence();
  other.gradients[0]["big"][1] = 1.5;
  EXPECT_EQ(difference(evidence(), other), "step 1, gradient: big is 0.5 apart, with a norm of 2 (allowed 0.006)");
}

TEST(SameWork, LetsSumsOfGradientsDifferByThreeTimesWhatTheirNormMay) {
  Evidence other = evidence();
  other.gradients[0]["big"][1] += 0.005;
  EXPECT_EQ(difference(evidence(), other), "");
  other.gradients[0]["big"][0] += 0.005;
  EXPECT_THAT(difference(evidence(), other), ::testing::StartsWith("step 1, gradient: big is 0.005 apart"));
}

TEST(SameWork, LetsLaterGradientsDifferAsTheUpdatesBeforeThemMay) {
  const auto two_steps = [] {
    Evidence twice = evidence();
    twice.gradients.push_back(twice.gradients[0]);
    twice.updates.push_back(twice.updates[0]);
    return twice;
  };
  Evidence other = two_steps();
  other.gradients[1]["big"][1] += 0.015;
  EXPECT_EQ(difference(two_steps(), other), "");
  other.gradients[1]["big"][1] += 0.055;
  EXPECT_EQ(difference(two_steps(), other), "step 2, gradient: big is 0.07 apart, with a norm of 2 (allowed 0.06)");
}

TEST(SameWork, JudgesWhatCancelsToNothingByTheOtherParameters) {
  Evidence other = evidence();
  other.gradients[0]["small"][1] = 2e-5;
  EXPECT_NE(difference(evidence(), other), "");
  Evidence vanishing = evidence();
  vanishing.gradients[0]["small"] = {2e-8, 1e-8, 1e-8};
  other.gradients[0]["small"] = {4e-8, -3e-8, 1e-8};
  EXPECT_EQ(difference(vanishing, other), "");
}

TEST(SameWork, NamesTheUpdateThatDiffers) {
  Evidence never_trained = evidence();
  never_trained.updates[0]["big"] = {0, 0, 0};
  EXPECT_THAT(difference(evidence(), never_trained), ::testing::StartsWith("step 1, update: big is 0.02 apart"));
}

TEST(SameWork, NamesAnOptimizerThatDiffers) {
  Evidence other = evidence();
  other.probe[0] = -2e-10;
  EXPECT_EQ(difference(evidence(), other),
            "the optimizer makes -1e-10 and -2e-10 of the same gradients (weight 0 of a probe from 1e-10 to 1)");
  other.probe = {0.5};
  EXPECT_NE(difference(evidence(), other), "");
}

TEST(SameWork, RefusesEvidenceThatIsMissingOrNoNumber) {
  Evidence other = evidence();
  other.gradients[0].erase("small");
  EXPECT_NE(difference(evidence(), other), "");
  other = evidence();
  other.updates[0]["big"][2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(difference(evidence(), other), "");
  other = evidence();
  other.updates.clear();
  EXPECT_NE(difference(evidence(), other), "");
}

TEST(SameWork, IsShownByLossesWhereOnlyOneHasEvidence) {
  EXPECT_EQ(measure::difference(Checked{{0}, {{1.0}}, evidence()}, Checked{{1}, {{1.0}}, {}}), "");
}

sweep::ArmTask trial_of(const std::string& engine, const std::string& more) {
  const auto sweep = sweep::parse_sweep(
      R"({"regatta": 1, "name": "s", "axes": {"engine": ")" + engine + "\", " + more + "}}", "s.json");
  const sweep::Trial trial = sweep::make_plan(sweep).trials.at(0);
  sweep::ArmTask task;
  task.parameters = trial.parameters;
  task.model = sweep::model_of(sweep, trial.parameters);
  return task;
}

bool owe_the_same(const sweep::ArmTask& a, const sweep::ArmTask& b) { return owed(a, b) == Agreement::same; }

bool comparable_engines(const std::string& more) {
  return owe_the_same(trial_of("native", more), trial_of("numpy", more));
}

TEST(SameWork, MustBeDoneByTrialsThatDifferInHowTheyCompute) {
  EXPECT_TRUE(comparable_engines(R"("model": "mlp-10")"));
  EXPECT_TRUE(comparable_engines(R"("model": "mlp-10", "work": "infer")"));
  EXPECT_TRUE(comparable_engines(R"("model": "matmul-1000")"));
}

TEST(SameWork, IsNotAskedOfDifferentTrials) {
  const auto trial = trial_of("native", R"("model": "mlp-10")");
  for (const char* other : {R"("model": "mlp-10", "batch": 64)", R"("model": "mlp-10", "seed": 1)",
                            R"("model": "mlp-10", "work": "infer")", R"("model": "mlp-784")"}) {
    EXPECT_EQ(owed(trial, trial_of("native", other)), Agreement::none) << other;
  }
}

TEST(SameWork, IsOwedApartFromRoundingWherePrecisionsDiffer) {
  const auto exact = trial_of("native", R"("model": "mlp-10")");
  EXPECT_EQ(owed(exact, trial_of("native", R"("model": "mlp-10", "precision": "bf16")")), Agreement::rounded);
  EXPECT_EQ(owed(exact, trial_of("native", R"("model": "mlp-784", "precision": "bf16")")), Agreement::none);
}

TEST(SameWork, IsOwedApartFromRoundingWhereBatchesAreNormalizedInOtherShards) {
  const std::string model =
      R"("model": [{"name": "normed", "input": [8], "layers": [{"dense": 4}, {"batch_norm": true}, {"dense": 1}],
                   "loss": "mse", "optimizer": {"sgd": {"learning_rate": 0.1}}}])";
  const auto normed = [&](int shards) { return trial_of("native", model + ", \"shards\": " + std::to_string(shards)); };
  EXPECT_EQ(owed(normed(1), normed(8)), Agreement::rounded);
  EXPECT_EQ(owed(normed(8), normed(8)), Agreement::same);
  const auto by_batch = trial_of("native", model + R"(, "shards": 8, "batch_statistics": "batch")");
  EXPECT_EQ(owed(by_batch, normed(1)), Agreement::same) << "both normalize by the whole batch";
  EXPECT_EQ(owed(by_batch, normed(8)), Agreement::rounded);
  EXPECT_TRUE(owe_the_same(trial_of("native", R"("model": "mlp-10")"),
                           trial_of("native", R"("model": "mlp-10", "shards": 8)")));
}

double rounding(const Losses& a, const Losses& b) { return rounding_apart(Checked{{0}, a, {}}, Checked{{1}, b, {}}); }

TEST(SameWork, RoundingIsSeenInTheMeanOfEachStep) {
  EXPECT_DOUBLE_EQ(rounding({{1.0, 3.0}, {2.0, 2.0}}, {{1.5, 2.5}, {2.0, 2.0}}), 0);
  EXPECT_DOUBLE_EQ(rounding({{1.0, 3.0}, {2.0, 2.0}}, {{1.0, 3.0}, {2.0, 1.0}}), 0.25);
  EXPECT_DOUBLE_EQ(rounding({{-1.0, 3.0}}, {{-1.0, 4.0}}), 0.2);
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(rounding({{1.0}}, {{std::numeric_limits<double>::quiet_NaN()}}), infinite);
  EXPECT_EQ(rounding({{1.0}}, {{1.0, 1.0}}), infinite);
  EXPECT_EQ(rounding({}, {}), infinite);
}

TEST(SameWork, IsNotAskedWhereNothingIsComputed) {
  EXPECT_FALSE(comparable_engines(R"("model": "noop")"));
  EXPECT_FALSE(comparable_engines(R"("model": {"name": "mine", "noop": true})"));
}

}  // namespace
}  // namespace regatta::measure
