#include "regatta/sweep/work_per_step.hpp"

#include <gmock/gmock.h>

namespace regatta::sweep {
namespace {

using ::testing::ElementsAre;
using List = std::vector<std::optional<std::int64_t>>;

TEST(WorkPerStep, IsTheBatchWhereBatchesDiffer) {
  EXPECT_THAT(work_per_step(Metric::time_per_sample, List{1, 32}), ElementsAre(1, 32));
  EXPECT_TRUE(is_per_sample(Metric::time_per_sample, List{1, 32}));
}

TEST(WorkPerStep, IsOneWhereTimePerStepIsAskedFor) {
  EXPECT_THAT(work_per_step(Metric::time_per_step, List{1, 32}), ElementsAre(1, 1));
  EXPECT_FALSE(is_per_sample(Metric::time_per_step, List{1, 32}));
}

TEST(WorkPerStep, IsOneWhereAnArmReadsNoBatchOrAllAreEqual) {
  EXPECT_THAT(work_per_step(Metric::time_per_sample, List{1, std::nullopt}), ElementsAre(1, 1));
  EXPECT_THAT(work_per_step(Metric::time_per_sample, List{32, 32}), ElementsAre(1, 1));
  EXPECT_FALSE(is_per_sample(Metric::time_per_sample, List{32, 32}));
  EXPECT_FALSE(is_per_sample(Metric::time_per_sample, List{}));
}

Measure by(Metric metric) {
  Measure measure;
  measure.metric = metric;
  measure.n = 1000;
  return measure;
}

TEST(ReadingOf, TakesSingleCallsWhereAQuantileIsCompared) {
  Parameters parameters;
  parameters[Param::steps_per_call] = std::int64_t{10};
  const auto latency = reading_of(by(Metric::latency_p95), parameters, 1, false);
  EXPECT_EQ(latency.quantile, 0.95);
  EXPECT_EQ(latency.steps_per_call, 10);
  EXPECT_EQ(reading_of({}, parameters, 32, false).quantile, 0);
  EXPECT_EQ(reading_of({}, parameters, 32, false).work_per_step, 32);
}

TEST(ReadingOf, CountsColdStartsOnlyForTheTimeToNSteps) {
  EXPECT_EQ(reading_of(by(Metric::time_to_n), {}, 1, false).steps_from_start, 1000);
  EXPECT_EQ(reading_of(by(Metric::time_per_step), {}, 1, false).steps_from_start, 0)
      << "an intervention is about steps";
}

TEST(JudgeOptions, AreWhatTheSweepFileSays) {
  Measure measure;
  measure.margin = 0.02;
  measure.half_width = 0.03;
  measure.relative_half_width = 0.2;
  const auto options = judge_options(measure);
  EXPECT_EQ(options.margin, 0.02);
  EXPECT_EQ(options.half_width, 0.03);
  EXPECT_EQ(options.relative_half_width, 0.2);
  EXPECT_EQ(options.prior, stats::SpreadPrior()) << "unknown until pairs tell";
}

TEST(JudgeOptions, WithoutAWordAreTheDefaultsOfTheRules) {
  const auto options = judge_options({});
  const stats::JudgeOptions defaults;
  EXPECT_EQ(options.margin, defaults.margin);
  EXPECT_EQ(options.half_width, defaults.half_width);
  EXPECT_EQ(options.relative_half_width, defaults.relative_half_width);
}

}  // namespace
}  // namespace regatta::sweep
