#include <gtest/gtest.h>

#include "sweep/read/read.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

/// A sweep that trains, with these keys beside its axes.
std::string training(const std::string& keys, const std::string& axes = R"("model": "mlp-10")") {
  return file_with(R"("task": "train", "axes": {)" + axes + "}, " + keys);
}

Sweep read(const std::string& keys, const std::string& axes = R"("model": "mlp-10")") {
  return parse_sweep(training(keys, axes), "s.json", any_environment());
}

std::string training_error(const std::string& keys, const std::string& axes = R"("model": "mlp-10")") {
  return error_of(training(keys, axes));
}

constexpr const char* ten_epochs = R"("train": {"epochs": 10})";
constexpr const char* own_loop = R"("model": {"python": "loop.py"})";

TEST(ReadTraining, HasDefaultsForAllButItsLength) {
  const Sweep sweep = read(ten_epochs);
  ASSERT_TRUE(sweep.training);
  EXPECT_EQ(sweep.training->epochs, 10);
  EXPECT_EQ(*sweep.training, (Training{.epochs = 10, .steps = {}, .early_stop = {}}));
  EXPECT_EQ(sweep.objective, Objective());
  EXPECT_EQ(sweep.search, std::nullopt);
}

TEST(ReadTraining, ReadsEveryKey) {
  const Sweep sweep = read(R"("train": {"steps": 500, "evaluations": 7, "validation": 0.1, "seeds": 9,
      "early_stop": {"patience": 3, "min_delta": 0.5}, "keep_weights": true, "repeat": false, "process": "kept"},
    "objective": {"metric": "validation_loss", "margin": 0.05},
    "search": {"kind": "halving", "rungs": 3, "factor": 2, "at_most": 4})");
  EXPECT_EQ(*sweep.training, (Training{.epochs = {},
                                       .steps = 500,
                                       .evaluations = 7,
                                       .validation = 0.1,
                                       .seeds = 9,
                                       .early_stop = EarlyStop{3, 0.5},
                                       .keep_weights = true,
                                       .repeat = false,
                                       .keeps_processes = true}));
  EXPECT_EQ(sweep.objective, (Objective{"validation_loss", false, 0.05}));
  EXPECT_EQ(*sweep.search, (Search{.halves = true, .rungs = 3, .factor = 2, .at_most = 4}));
}

TEST(ReadTraining, TellsADirectionFromTheMetricUnlessItIsGiven) {
  const std::string train = std::string(ten_epochs) + R"(, "objective": {"metric": )";
  EXPECT_TRUE(read(train + R"("f1"})", own_loop).objective.maximizes);
  EXPECT_FALSE(read(train + R"("my_loss"})", own_loop).objective.maximizes);
  EXPECT_FALSE(read(train + R"("perplexity", "goal": "minimize"})", own_loop).objective.maximizes);
}

TEST(ReadTraining, KnowsMetricsByTheNamesThatTrainersGiveThem) {
  const std::string train = std::string(ten_epochs) + R"(, "objective": {"metric": )";
  EXPECT_EQ(read(train + R"("val_loss"})").objective.metric, "validation_loss");
  EXPECT_EQ(read(train + R"("val_acc"})").objective.metric, "validation_accuracy");
  EXPECT_EQ(read(train + R"("val_f1"})", own_loop).objective.metric, "validation_f1");
}

TEST(ReadTraining, RefusesAMetricThatNoModelOfTheSweepHas) {
  const std::string auc = std::string(ten_epochs) + R"(, "objective": {"metric": "auc"})";
  EXPECT_EQ(training_error(auc),
            "s.json:2: /objective/metric: found \"auc\", expected \"validation_accuracy\", \"validation_loss\" or "
            "\"train_loss\" (a training loop of your own has those that it reports)");
  EXPECT_NO_THROW(read(auc, own_loop));
  EXPECT_NO_THROW(read(auc + R"(, "environments": {"mine": {"engine": "native", "program": ["./w"]}})"));
}

TEST(ReadTraining, TakesATargetThatTheMetricCanHave) {
  const std::string train = std::string(ten_epochs) + R"(, "objective": {"metric": "validation_accuracy", "target": )";
  EXPECT_EQ(read(train + "0.95}").objective.target, 0.95);
  EXPECT_THROW(read(train + "95}"), InputError);
  const std::string loss = std::string(ten_epochs) + R"(, "objective": {"metric": "validation_loss", "target": )";
  EXPECT_EQ(read(loss + "-12}").objective.target, -12);
  EXPECT_FALSE(read(loss.substr(0, loss.rfind(',')) + "}").objective.target);
}

TEST(ReadTraining, CountsAMarginInPoints) {
  const std::string train = std::string(ten_epochs) + R"(, "objective": {"metric": "validation_accuracy", "margin": )";
  EXPECT_DOUBLE_EQ(read(train + R"("1 point"})").objective.margin, 0.01);
  EXPECT_DOUBLE_EQ(read(train + R"("2.5 points"})").objective.margin, 0.025);
  EXPECT_EQ(training_error(train + R"("1 %"})"),
            "s.json:2: /objective/margin: found \"1 %\", expected a number in the metric's own unit such as 0.01, or "
            "\"1 point\" of an accuracy");
  const std::string of_loss = std::string(ten_epochs) + R"(, "objective": {"metric": "validation_loss", "margin": )";
  EXPECT_EQ(training_error(of_loss + R"("1 point"})"),
            "s.json:2: /objective/margin: found \"1 point\", expected a number in the unit of validation_loss, such as "
            "0.01 (points are of accuracies)");
}

TEST(ReadTraining, SaysHowLongARunIs) {
  EXPECT_EQ(error_of(file_with(R"("task": "train", "axes": {"model": "mlp-10"})")),
            "s.json:1: /train: found nothing, expected an object that says how long a run is, such as "
            "{\"epochs\": 10}");
  EXPECT_EQ(training_error(R"("train": {})"),
            "s.json:2: /train: found an empty object, expected the key \"epochs\" or \"steps\", how long a run is");
  EXPECT_EQ(training_error(R"("train": {"epochs": 1, "steps": 2})"),
            "s.json:2: /train/steps: found 2, expected only one of \"epochs\" and \"steps\"");
}

TEST(ReadTraining, NeverChoosesByTheTestPart) {
  EXPECT_EQ(training_error(std::string(ten_epochs) + R"(, "objective": {"metric": "test_accuracy"})"),
            "s.json:2: /objective/metric: found \"test_accuracy\", expected a metric of the validation part (what is "
            "chosen by the test part is not tested by it); did you mean \"validation_accuracy\"?");
}

TEST(ReadTraining, WithoutAValidationPartTheTrainingLossIsTheObjective) {
  const Sweep sweep = read(R"("train": {"epochs": 1, "validation": 0})");
  EXPECT_EQ(sweep.objective.metric, "train_loss");
  EXPECT_FALSE(sweep.objective.maximizes);
  EXPECT_EQ(
      training_error(R"("train": {"epochs": 1, "validation": 0}, "objective": {"metric": "validation_accuracy"})"),
      "s.json:2: /objective: found an object, expected the metric \"train_loss\", as \"validation\" in \"train\" "
      "is 0");
}

TEST(ReadTraining, ASearchNeedsAnObjectiveAndSamplesToChooseBy) {
  EXPECT_EQ(training_error(std::string(ten_epochs) + R"(, "search": {"kind": "halving"})")
                .find("s.json:2: /search: found an object, expected it beside \"objective\""),
            0U);
  EXPECT_EQ(training_error(R"("train": {"epochs": 1, "validation": 0}, "objective": {"metric": "train_loss"},
                  "search": {"kind": "full"})"),
            "s.json:3: /search: found an object, expected a \"validation\" part above 0 in \"train\" (it chooses)");
  EXPECT_EQ(training_error(std::string(ten_epochs) +
                           R"(, "objective": {"metric": "validation_loss"}, "search": {"kind": "full", "rungs": 3})"),
            "s.json:2: /search/rungs: found 3, expected no \"rungs\" in a search that trains all to the end");
}

TEST(ReadTraining, TakesNoKeyOfTheOtherTask) {
  EXPECT_EQ(training_error(std::string(ten_epochs) + R"(, "measure": {"total": "1m"})"),
            "s.json:2: /measure: found the key \"measure\", expected none in a sweep that trains (\"train\" says how "
            "long)");
  EXPECT_EQ(error_with(R"("axes": {"model": "mlp-10"}, "train": {"epochs": 1})"),
            "s.json:2: /train: found the key \"train\", expected it beside \"task\": \"train\"");
}

TEST(ReadTraining, TakesNoAxisOfTheOtherTask) {
  EXPECT_EQ(training_error(ten_epochs, R"("model": "mlp-10", "seed": [0, 1])"),
            "s.json:2: /axes: found the axis \"seed\", expected an axis that training runs read");
  EXPECT_EQ(error_with(R"("axes": {"model": "mlp-10", "weight_decay": [0.1]})"),
            "s.json:2: /axes: found the axis \"weight_decay\", expected it in a sweep with \"task\": \"train\"");
}

TEST(ReadTraining, RealAxesAreListsRangesAndDraws) {
  const auto rates = [](const std::string& levels, const std::string& more = "") {
    return read(ten_epochs + more, R"("model": "mlp-10", "learning_rate": )" + levels).axes.back().levels;
  };
  EXPECT_EQ(rates("[0.1, 1]"), (std::vector<Value>{0.1, 1.0}));
  EXPECT_EQ(rates(R"({"geometric": [1e-4, 0.1], "count": 4})"), (std::vector<Value>{1e-4, 1e-3, 1e-2, 0.1}));
  EXPECT_EQ(rates(R"({"linear": [0, 1], "count": 3})"), (std::vector<Value>{0.0, 0.5, 1.0}));
  const std::vector<Value> drawn = rates(R"({"log_uniform": [1e-4, 0.1]})", R"(, "samples": 50)");
  ASSERT_EQ(drawn.size(), 50U);
  for (const Value& value : drawn) {
    EXPECT_GE(std::get<double>(value), 1e-4);
    EXPECT_LE(std::get<double>(value), 0.1);
  }
  EXPECT_EQ(training_error(ten_epochs, R"("model": "mlp-10", "learning_rate": {"log_uniform": [0, 0.1]})")
                .find("s.json:2: /axes/learning_rate"),
            0U);
  EXPECT_EQ(training_error(ten_epochs, R"("model": "mlp-10", "learning_rate": -1)"),
            "s.json:2: /axes/learning_rate: found -1, expected a number from 0 to 1000");
}

}  // namespace
}  // namespace regatta::sweep
