#include "measure/same_work.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/model_of.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::measure {
namespace {

using protocol::Checked;
using protocol::Evidence;
using protocol::NumberType;
using sweep::Verified;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Losses = std::vector<std::vector<double>>;

const Tolerances fp32 = tolerances_of(NumberType::fp32, {});

Checked with(const Losses& losses) { return {{0}, losses, {}}; }
Checked with(const Evidence& evidence) { return {{0}, {{1.0}}, evidence}; }

Answer losses_answer(const Losses& a, const Losses& b, const Sensitivity& sensitivity = {}) {
  return compared(with(a), with(b), fp32, sensitivity);
}

/// Three steps of two parameters, of which `small` is 1e-5 of the other.
Evidence evidence() {
  Evidence found;
  for (int step = 0; step < 3; ++step) {
    found.gradients.push_back({{"big", {2, 1, -1}}, {"small", {2e-5, 1e-5, 1e-5}}});
    found.updates.push_back({{"big", {0.02, 0.01, -0.01}}, {"small", {2e-7, 1e-7, 1e-7}}});
  }
  found.resolution = {{"big", 1e-6}, {"small", 1e-9}};
  found.probe = {-1e-10, 0.5};
  return found;
}

/// The gradients of `big` move by such a share in each step, with the sign of chance: the norm stays.
Evidence turned(const std::vector<double>& shares) {
  Evidence found = evidence();
  for (std::size_t step = 0; step < shares.size(); ++step) {
    found.gradients[step]["big"][1] += 2 * shares[step];
    found.gradients[step]["big"][2] -= 2 * shares[step];
  }
  return found;
}

/// The sensitivity that `turned` finds for a model whose own gradients move so.
Sensitivity moved_by(const std::vector<double>& shares) {
  Sensitivity found;
  found.losses.assign(shares.size(), 1e-7);
  for (const double share : shares) {
    found.gradients.push_back({{"big", share}, {"small", 0}});
    found.updates.push_back({{"big", share}, {"small", 0}});
  }
  return found;
}

Answer answer(const Evidence& its, const Sensitivity& sensitivity = {}, const Tolerances& tolerances = fp32) {
  return compared(with(evidence()), with(its), tolerances, sensitivity);
}

TEST(SameWork, IsWhatLiesApartByRoundingAlone) {
  EXPECT_EQ(losses_answer({{1.0, 2.0}}, {{1.00001, 2.0}}).verified, Verified::yes);
  EXPECT_EQ(answer(turned({9e-4, 9e-4, 9e-4})).verified, Verified::yes);
}

TEST(SameWork, IsNotDoneWhereALossIsApart) {
  const Answer found = losses_answer({{1.0, 2.0}, {1.0, 4.0}}, {{1.0, 2.0}, {1.0, 3.0}});
  EXPECT_EQ(found.verified, Verified::no);
  EXPECT_EQ(found.detail, "step 2, row 1: 4 and 3 are 25 % apart (rounding explains up to 0.002 %)");
  EXPECT_EQ(losses_answer({{1.0, 2.0}}, {{1.0001, 2.0}}).verified, Verified::no) << "batch norm with epsilon 1e-4";
}

TEST(SameWork, AllowsLossesTenTimesWhatRoundingDoesToTheModel) {
  const Sensitivity deep{{5e-6}, {}, {}};
  EXPECT_EQ(losses_answer({{1.0}}, {{1.00004}}).verified, Verified::no);
  EXPECT_EQ(losses_answer({{1.0}}, {{1.00004}}, deep).verified, Verified::yes);
  EXPECT_EQ(losses_answer({{1.0}}, {{1.00006}}, deep).verified, Verified::no);
}

TEST(SameWork, ComparesSmallLossesAbsolutely) {
  EXPECT_EQ(losses_answer({{1e-7}}, {{2e-7}}).verified, Verified::yes);
  EXPECT_EQ(losses_answer({{1e-3}}, {{3e-3}}).verified, Verified::no);
}

TEST(SameWork, ComparesASmallLossByTheSizeOfItsBatch) {
  EXPECT_EQ(losses_answer({{1.0, 0.001}}, {{1.0, 0.001005}}).verified, Verified::yes);
}

TEST(SameWork, NanIsADifference) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(losses_answer({{nan}}, {{nan}}).verified, Verified::no);
  Evidence other = evidence();
  other.updates[0]["big"][2] = nan;
  EXPECT_EQ(answer(other).verified, Verified::no);
}

TEST(SameWork, RefusesReportsThatAreMissing) {
  EXPECT_EQ(losses_answer({}, {}).verified, Verified::no);
  EXPECT_EQ(losses_answer({{1.0}}, {{1.0}, {1.0}}).verified, Verified::no);
  EXPECT_EQ(losses_answer({{1.0}}, {{1.0, 1.0}}).verified, Verified::no);
  EXPECT_EQ(losses_answer({{}}, {{}}).verified, Verified::no);
  Evidence other = evidence();
  other.gradients[0].erase("small");
  EXPECT_EQ(answer(other).verified, Verified::no);
  other = evidence();
  other.updates.clear();
  EXPECT_EQ(answer(other).verified, Verified::no);
}

TEST(SameWork, GradientsThatRoundingMovesAsFarAreTheSameWork) {
  const auto flipped = turned({6e-3, 6e-3, 6e-3});
  EXPECT_EQ(answer(flipped).verified, Verified::close);
  EXPECT_EQ(answer(flipped, moved_by({1e-3, 1e-3, 1e-3})).verified, Verified::yes);
}

TEST(SameWork, GradientsAreJudgedWhereRoundingMovesThemLeast) {
  const auto sensitivity = moved_by({1e-3, 1e-6, 1e-3});
  EXPECT_EQ(answer(turned({2e-2, 0, 2e-2}), sensitivity).verified, Verified::yes);
  EXPECT_EQ(answer(turned({0, 2e-2, 0}), sensitivity).verified, Verified::close);
}

TEST(SameWork, CloseWorkIsToldWithItsNumbers) {
  const Answer found = answer(turned({2e-2, 2e-2, 2e-2}), moved_by({1e-3, 2e-3, 1e-3}));
  EXPECT_EQ(found.verified, Verified::close);
  EXPECT_EQ(found.detail,
            "step 1, gradient: big is 2 % apart (rounding explains up to 1.6 %); losses agree to 0 %; rounding the "
            "weights otherwise moves gradients of the same arm by up to 0.2 %");
}

TEST(SameWork, GradientsBeyondFivePercentAreOtherWork) {
  EXPECT_EQ(answer(turned({0.06, 0.06, 0.06}), moved_by({1e-3, 1e-3, 1e-3})).verified, Verified::no);
}

TEST(SameWork, AScaleOfAllGradientsIsNoRoundingHoweverFarThatMovesThem) {
  Evidence scaled = evidence();
  for (auto& step : scaled.gradients)
    for (auto& [name, values] : step)
      for (double& value : values) value *= 1.01;
  const Answer found = answer(scaled, moved_by({5e-3, 5e-3, 5e-3}));
  EXPECT_EQ(found.verified, Verified::close);
  EXPECT_THAT(found.detail, StartsWith("step 1, gradient: the norm of all parameters together is 1 % apart"));
}

TEST(SameWork, JudgesEachTensorByWhatRoundingDoesToIt) {
  Evidence decayed = evidence();
  for (auto& step : decayed.gradients) step["small"][1] += 8e-5;  // the norm counts as 2e-3
  const auto sensitivity = moved_by({8e-3, 8e-3, 8e-3});
  EXPECT_EQ(answer(turned({3e-2, 3e-2, 3e-2}), sensitivity).verified, Verified::yes);
  EXPECT_EQ(answer(decayed, sensitivity).verified, Verified::close);
}

TEST(SameWork, JudgesWhatCancelsToNothingByTheOtherParameters) {
  Evidence vanishing = evidence();
  vanishing.gradients[0]["small"] = {2e-8, 1e-8, 1e-8};
  Evidence other = vanishing;
  other.gradients[0]["small"] = {4e-8, -3e-8, 1e-8};
  EXPECT_EQ(compared(with(vanishing), with(other), fp32, {}).verified, Verified::yes);
}

TEST(SameWork, NamesTheUpdateThatDiffers) {
  Evidence never_trained = evidence();
  for (auto& step : never_trained.updates) step["big"] = {0, 0, 0};
  const Answer found = answer(never_trained, moved_by({1e-3, 1e-3, 1e-3}));
  EXPECT_EQ(found.verified, Verified::no);
  EXPECT_THAT(found.detail, StartsWith("step 1, update: big is 1e+02 % apart"));
}

TEST(SameWork, NamesAnOptimizerThatDiffers) {
  Evidence other = evidence();
  other.probe[0] = -2e-10;
  EXPECT_EQ(answer(other).detail,
            "the optimizer makes -1e-10 and -2e-10 of the same gradients (weight 0 of a probe from 1e-10 to 1)");
  other.probe = {0.5};
  EXPECT_EQ(answer(other).verified, Verified::no);
}

TEST(SameWork, IsShownByLossesWhereOnlyOneHasEvidence) {
  EXPECT_EQ(compared(with(evidence()), with(Losses{{1.0}}), fp32, {}).verified, Verified::yes);
}

TEST(SameWork, IsWidenedByTheSweepToWorkThatIsClose) {
  const Tolerances wide = tolerances_of(NumberType::fp32, {.gradient = 0.2, .loss = 0.01});
  EXPECT_EQ(answer(turned({0.06, 0.06, 0.06}), {}, wide).verified, Verified::close);
  EXPECT_EQ(answer(turned({0.3, 0.3, 0.3}), {}, wide).verified, Verified::no);
  EXPECT_EQ(compared(with(Losses{{1.0}}), with(Losses{{1.005}}), wide, {}).verified, Verified::close);
  EXPECT_EQ(compared(with(Losses{{1.0}}), with(Losses{{1.02}}), wide, {}).verified, Verified::no);
}

TEST(SameWork, FollowsTheTypeInWhichArmsCompute) {
  const Tolerances bf16 = tolerances_of(NumberType::bf16, {});
  EXPECT_EQ(compared(with(Losses{{2.81282}}), with(Losses{{2.80959}}), bf16, {}).verified, Verified::yes);
  EXPECT_EQ(compared(with(Losses{{2.81282}}), with(Losses{{2.80959}}), fp32, {}).verified, Verified::no);
  EXPECT_EQ(compared(with(Losses{{2.8}}), with(Losses{{3.0}}), bf16, {}).verified, Verified::no);
}

TEST(SameWork, ASideIsNamedOnlyWhereDoublePrecisionTellsIt) {
  const auto side = [](double baseline, double arm, double exact_baseline, double exact_arm) {
    return side_that_is_off(with(Losses{{baseline}}), with(Losses{{arm}}), with(Losses{{exact_baseline}}),
                            with(Losses{{exact_arm}}), fp32);
  };
  EXPECT_EQ(side(1, 1.01, 1, 1), "this arm is 0.99 % from the same step in double precision, the baseline only 0 %");
  EXPECT_THAT(side(1.01, 1, 1, 1), StartsWith("the baseline is 0.99 %"));
  EXPECT_THAT(side(1, 1.01, 1, 1.01), HasSubstr("in double precision they lie apart as well"));
  EXPECT_EQ(side(1.01, 0.99, 1, 1), "") << "both are off";
  EXPECT_EQ(side_that_is_off(with(Losses{{1}}), with(Losses{{2}}), with(Losses{}), with(Losses{{1}}), fp32), "");
}

TEST(Sensitivity, IsHowFarTwoDrawsLieApartForEachOfThem) {
  const Sensitivity found = sensitivity_of(with(evidence()), with(turned({0.01, 0, 0})));
  EXPECT_NEAR(found.gradients[0].at("big"), 0.01 / std::sqrt(2), 1e-12);
  EXPECT_EQ(found.gradients[1].at("big"), 0);
  EXPECT_EQ(found.losses, std::vector<double>(1, 0.0));
  EXPECT_TRUE(sensitivity_of(with(Losses{}), with(Losses{})).losses.empty());
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

TEST(SameWork, IsOwedInTheMeanWhereBatchesAreNormalizedInOtherShards) {
  const std::string model =
      R"("model": [{"name": "normed", "input": [8], "layers": [{"dense": 4}, {"batch_norm": true}, {"dense": 1}],
                   "loss": "mse", "optimizer": {"sgd": {"learning_rate": 0.1}}}])";
  const auto normed = [&](int shards) { return trial_of("native", model + ", \"shards\": " + std::to_string(shards)); };
  EXPECT_EQ(owed(normed(1), normed(8)), Agreement::in_the_mean);
  EXPECT_EQ(owed(normed(8), normed(8)), Agreement::same);
  const auto by_batch = trial_of("native", model + R"(, "shards": 8, "batch_statistics": "batch")");
  EXPECT_EQ(owed(by_batch, normed(1)), Agreement::same) << "both normalize by the whole batch";
  EXPECT_EQ(owed(by_batch, normed(8)), Agreement::in_the_mean);
  EXPECT_TRUE(owe_the_same(trial_of("native", R"("model": "mlp-10")"),
                           trial_of("native", R"("model": "mlp-10", "shards": 8)")));
}

double means(const Losses& a, const Losses& b) { return means_apart(with(a), with(b)); }

TEST(SameWork, InTheMeanIsSeenInTheMeanOfEachStep) {
  EXPECT_DOUBLE_EQ(means({{1.0, 3.0}, {2.0, 2.0}}, {{1.5, 2.5}, {2.0, 2.0}}), 0);
  EXPECT_DOUBLE_EQ(means({{1.0, 3.0}, {2.0, 2.0}}, {{1.0, 3.0}, {2.0, 1.0}}), 0.25);
  EXPECT_DOUBLE_EQ(means({{-1.0, 3.0}}, {{-1.0, 4.0}}), 0.2);
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(means({{1.0}}, {{std::numeric_limits<double>::quiet_NaN()}}), infinite);
  EXPECT_EQ(means({{1.0}}, {{1.0, 1.0}}), infinite);
  EXPECT_EQ(means({}, {}), infinite);
}

TEST(SameWork, IsNotAskedWhereNothingIsComputed) {
  EXPECT_FALSE(comparable_engines(R"("model": "noop")"));
  EXPECT_FALSE(comparable_engines(R"("model": {"name": "mine", "noop": true})"));
}

}  // namespace
}  // namespace regatta::measure
