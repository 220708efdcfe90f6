#include "batches/train_plan.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "regatta/base/error.hpp"
#include "regatta/model/catalogue.hpp"

namespace regatta::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSubsetOf;

protocol::Train request(double epochs, std::int64_t evaluations) {
  protocol::Train asked;
  asked.epochs = epochs;
  asked.evaluations = evaluations;
  asked.validation = 0.25;
  return asked;
}

TEST(TrainPlan, CountsTheHorizonInWholeSteps) {
  const TrainPlan plan = plan_of(request(2, 4), {100}, 10);
  EXPECT_EQ(plan.validation, 25);
  EXPECT_EQ(plan.training, 75);
  EXPECT_EQ(plan.steps, 15);
  EXPECT_THAT(plan.evaluations, ElementsAre(0, 4, 8, 12, 15));
}

TEST(TrainPlan, TakesStepsAsTheyAreGiven) {
  protocol::Train asked = request(2, 3);
  asked.epochs.reset();
  asked.steps = 2;
  EXPECT_THAT(plan_of(asked, {100}, 10).evaluations, ElementsAre(0, 1, 2, 2)) << "more evaluations than steps";
}

TEST(TrainPlan, RefusesABatchOfMoreThanTheTrainingPart) {
  EXPECT_THROW(plan_of(request(1, 1), {100}, 76), InputError);
  EXPECT_EQ(plan_of(request(1, 1), {100}, 75).steps, 1);
}

TEST(TrainPlan, LegsEndWithTheNextEvaluation) {
  const TrainPlan plan = plan_of(request(10, 20), {100}, 10);
  EXPECT_EQ(evaluation_at(plan, 0), 0U);
  EXPECT_EQ(evaluation_at(plan, 1.0 / 27), 1U);
  EXPECT_EQ(evaluation_at(plan, 0.05), 1U) << "no rounding makes it 2";
  EXPECT_EQ(evaluation_at(plan, 1.0 / 3), 7U);
  EXPECT_EQ(evaluation_at(plan, 1), 20U);
}

TEST(TrainPlan, SplitsEachRowIntoOnePartByTheSeed) {
  const TrainPlan plan = plan_of(request(1, 1), {100}, 10);
  std::vector<std::uint32_t> drawn = split_rows(plan, 7);
  EXPECT_NE(drawn, split_rows(plan, 8));
  EXPECT_EQ(drawn, split_rows(plan, 7));
  std::ranges::sort(drawn);
  std::vector<std::uint32_t> all(100);
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_EQ(drawn, all);
}

TEST(TrainPlan, KeepsTheFilesOrderWhereNothingIsHeldOut) {
  protocol::Train asked = request(1, 1);
  asked.validation = 0;
  const std::vector<std::uint32_t> drawn = split_rows(plan_of(asked, {5}, 1), 7);
  EXPECT_THAT(drawn, ElementsAre(0, 1, 2, 3, 4));
}

TEST(TrainPlan, TakesTheLastRowsWhereTheDataBringTheirValidationPart) {
  const TrainPlan plan = plan_of(request(1, 1), {7, 2}, 1);
  EXPECT_EQ(plan.validation, 2) << "whatever share the sweep names";
  EXPECT_EQ(plan.training, 5);
  EXPECT_THAT(split_rows(plan, 7), ElementsAre(5, 6, 0, 1, 2, 3, 4));
  EXPECT_EQ(split_rows(plan, 7), split_rows(plan, 8));
  EXPECT_THROW(plan_of(request(1, 1), {7, 2}, 6), InputError);
}

TEST(TrainPlan, WarmsUpFromNearlyZeroToTheRate) {
  const Rates rates{0.4, "constant", 0.5, 8};
  EXPECT_DOUBLE_EQ(learning_rate_at(rates, 0), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate_at(rates, 3), 0.4);
  EXPECT_DOUBLE_EQ(learning_rate_at(rates, 7), 0.4);
}

TEST(TrainPlan, SchedulesEndWhereTheirNamesSay) {
  EXPECT_DOUBLE_EQ(learning_rate_at({1, "cosine", 0, 100}, 0), 1);
  EXPECT_NEAR(learning_rate_at({1, "cosine", 0, 100}, 50), 0.5, 1e-12);
  EXPECT_LT(learning_rate_at({1, "cosine", 0, 100}, 99), 1e-3);
  EXPECT_DOUBLE_EQ(learning_rate_at({1, "linear", 0, 100}, 25), 0.75);
  EXPECT_DOUBLE_EQ(learning_rate_at({1, "step", 0, 100}, 49), 1);
  EXPECT_DOUBLE_EQ(learning_rate_at({1, "step", 0, 100}, 50), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate_at({1, "step", 0, 100}, 75), 0.01);
}

TEST(TrainPlan, TheRateIsTheModelsOwnUnlessAnAxisNamesOne) {
  const model::Model model = model::parse_model(
      R"({"name":"m","input":[2],"layers":[{"dense":1}],"loss":"mse","optimizer":{"sgd":{"learning_rate":0.25}}})");
  sweep::Parameters parameters;
  EXPECT_EQ(rates_of(parameters, model, 10).base, 0.25);
  parameters[sweep::Param::learning_rate] = 0.5;
  parameters[sweep::Param::schedule] = std::string("linear");
  parameters[sweep::Param::warmup] = 0.1;
  const Rates rates = rates_of(parameters, model, 10);
  EXPECT_EQ(rates.base, 0.5);
  EXPECT_EQ(rates.schedule, "linear");
  EXPECT_EQ(rates.warmup, 0.1);
}

}  // namespace
}  // namespace regatta::worker
