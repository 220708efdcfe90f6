#include "job/data_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "regatta/base/error.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Two batches, under each of two models of other inputs.
Job training_job(const std::string& train) {
  const auto model = [](const char* name, int input) {
    return std::string(R"({"name": ")") + name + R"(", "input": [)" + std::to_string(input) +
           R"(], "layers": [{"dense": 10, "activation": "softmax"}], "loss": "sparse_categorical_crossentropy",)" +
           R"( "optimizer": {"sgd": {"learning_rate": 0.1}}})";
  };
  Job job;
  job.sweep = sweep::parse_sweep(
      R"({"regatta": 1, "name": "t", "task": "train", "axes": {"engine": "native", "model": [)" + model("first", 64) +
          ", " + model("second", 8) + R"(], "dataset": "synthetic", "batch": [8, 100]}, "train": )" + train + "}",
      "t.json");
  job.plan = sweep::make_plan(job.sweep);
  return job;
}

constexpr const char* usual = R"({"epochs": 1, "validation": 0.25})";

/// The unfit trials where the worker gives this answer for all data.
std::map<TrialIndex, std::string> found(const Job& job, const std::optional<std::string>& answer) {
  return check_data(job.sweep, job.plan, [&](const auto&) { return answer; }).unfit;
}

TEST(DataChecks, FindABatchThatIsLargerThanTheTrainingPart) {
  const Job job = training_job(usual);
  EXPECT_TRUE(found(job, R"({"samples": 134, "test": 3})").empty());
  const auto unfit = found(job, R"({"samples": 132, "test": 3})");
  ASSERT_EQ(unfit.size(), 2U);
  for (const auto& [trial, reason] : unfit) {
    EXPECT_EQ(sweep::batch_of(job.plan.trials[trial.value].parameters), 100);
    EXPECT_THAT(reason, HasSubstr("batch is 100, the training part has 99 samples"));
  }
  EXPECT_EQ(skips_by_reason(job.plan, unfit).size(), 1U);
}

TEST(DataChecks, CountAValidationPartThatTheDataBringAlong) {
  const Job job = training_job(usual);
  EXPECT_TRUE(found(job, R"({"samples": 132, "validation": 32, "test": 3})").empty());
  const auto unfit = found(job, R"({"samples": 134, "validation": 35, "test": 3})");
  ASSERT_EQ(unfit.size(), 2U);
  EXPECT_THAT(unfit.begin()->second, HasSubstr("batch is 100, the training part has 99 samples"));
}

TEST(DataChecks, RemarkOnATestPartThatLacksClasses) {
  const Job job = training_job(usual);
  const auto remarks = [&](const std::string& answer) {
    return check_data(job.sweep, job.plan, [&](const auto&) { return answer; }).remarks;
  };
  EXPECT_THAT(remarks(R"({"samples": 134, "test": 3, "classes": 3, "test_classes": 1})"),
              testing::ElementsAre("synthetic: the test part holds 1 of 3 classes; its accuracy says nothing about the "
                                   "others"));
  EXPECT_THAT(remarks(R"({"samples": 134, "test": 3, "classes": 3, "test_classes": 3})"), testing::IsEmpty());
  EXPECT_THAT(remarks(R"({"samples": 134, "test": 3})"), testing::IsEmpty());
}

TEST(DataChecks, AskOnceForEachKindOfData) {
  const Job job = training_job(usual);
  int asked = 0;
  const auto checks = check_data(job.sweep, job.plan, [&](const sweep::ArmTask& task) {
    EXPECT_TRUE(task.model.has_value());
    return ++asked == 1 ? R"({"samples": 1000, "test": 3})" : R"({"does_not_fit": "second: reads 8"})";
  });
  const auto& unfit = checks.unfit;
  EXPECT_EQ(asked, 2);
  ASSERT_EQ(unfit.size(), 2U) << "both batches of the second model";
  EXPECT_EQ(unfit.begin()->second, "second: reads 8");
}

TEST(DataChecks, RefuseDataThatNothingIsTrainedOn) {
  const Job job = training_job(usual);
  EXPECT_THROW(found(job, R"({"refused": "'x.csv': sample 3 is no value"})"), InputError);
  EXPECT_EQ(found(job, R"({"samples": 20})").size(), 2U);
  EXPECT_EQ(found(training_job(R"({"epochs": 1, "validation": 0.001})"), R"({"samples": 200})").size(), 4U)
      << "no sample is held out";
}

TEST(DataChecks, LeaveWhatNobodyAnsweredToTheTrials) {
  const Job job = training_job(usual);
  EXPECT_TRUE(found(job, std::nullopt).empty());
  for (const char* const nonsense : {"", "[]", "{}", "{\"samples\": \"many\", \"refused\": 1}", "{\"samples\""})
    EXPECT_TRUE(found(job, nonsense).empty()) << nonsense;
}

TEST(DataChecks, ABenchmarkIsNotAsked) {
  Job job;
  job.sweep = sweep::parse_sweep(R"({"regatta": 1, "name": "b", "axes": {"model": "mlp-10"}})", "b.json");
  job.plan = sweep::make_plan(job.sweep);
  EXPECT_TRUE(found(job, R"({"refused": "never"})").empty());
  EXPECT_NO_THROW(need_a_training(job));
}

TEST(DataChecks, RefuseARunThatWouldReplaceItsData) {
  const support::TemporaryFolder scratch;
  Job job;
  job.sweep.name = "t";
  job.options.out = scratch.path();
  for (const char* name : {"t.h5", "t.html", "other.h5"}) std::ofstream(scratch / name) << "data";
  job.sweep.datasets["own"].data = (scratch / "other.h5").string();
  EXPECT_NO_THROW(keep_data(job));
  job.sweep.datasets["own"].data = (scratch / "t.h5").string() + ":/x";
  EXPECT_THROW(keep_data(job), InputError);
  job.sweep.datasets["own"].data = (scratch / "other.h5").string();
  job.sweep.datasets["own"].labels = (scratch / "." / "t.html").string();
  EXPECT_THROW(keep_data(job), InputError);
}

TEST(DataChecks, RefuseASweepOfWhichNothingIsLeft) {
  Job job = training_job(usual);
  job.unfit = found(job, R"({"samples": 20})");
  EXPECT_NO_THROW(need_a_training(job)) << "the smaller batches are left";
  job.unfit = found(job, R"({"does_not_fit": "reads others"})");
  try {
    need_a_training(job);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("none of its 4 configurations can be trained"), HasSubstr("\n  4 x reads others")));
  }
}

}  // namespace
}  // namespace regatta::launcher
