// Training through the real worker: what a leg gives does not depend on how the run was cut into legs, or killed.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <filesystem>

#include "checkpoint.hpp"
#include "regatta/base/error.hpp"
#include "regatta/sweep/training.hpp"
#include "workers/training.hpp"

namespace regatta::testing {
namespace {

using sweep::LegEnd;

TEST_F(Training, LearnsTheDigits) {
  write_files();
  const Learned learned = leg(request(0, 1, "c"));
  EXPECT_EQ(learned.end, LegEnd::reached);
  EXPECT_THAT(learned.curve.metrics, ::testing::ElementsAre("train_loss", "validation_loss", "validation_accuracy"));
  EXPECT_EQ(learned.curve.points.size(), 6U);
  EXPECT_EQ(learned.curve.points.back().step, 105) << "3 epochs of 1120 samples in batches of 32";
  EXPECT_EQ(learned.training_samples, 1120);
  EXPECT_EQ(learned.validation_samples, 280);
  EXPECT_EQ(learned.test_samples, 397);
  EXPECT_GT(learned.best.at(2), 0.85);
  EXPECT_LT(learned.curve.points.back().values[0], learned.curve.points.front().values[0]);
  EXPECT_EQ(learned.test_accuracy, std::nullopt);
}

TEST_F(Training, GivesTheSameInOneLegOrInMany) {
  for (const char* const each : {digits_model, normalizing_model}) {
    model = each;
    write_files();
    const std::string name = each == digits_model ? "dropping " : "normalizing ";
    const Learned whole = leg(request(0, 1, name + "whole"));
    std::vector<std::vector<double>> pieces;
    for (const auto& [from, to] : {std::pair(0.0, 0.1), std::pair(0.1, 0.5), std::pair(0.5, 1.0)}) {
      for (auto& values : values_of(leg(request(from, to, name + "pieces")))) pieces.push_back(std::move(values));
    }
    EXPECT_EQ(pieces, values_of(whole));
    expect_equal_checkpoints(folder.path() / (name + "pieces"), folder.path() / (name + "whole"));
  }
}

TEST_F(Training, GivesTheSameWithBatchesMadeAhead) {
  write_files();
  const Learned expected = leg(request(0, 1, "array"));
  const std::string piped = R"(,"input":"pipeline","loader_workers":2,"loader_depth":4)";
  auto pieces = values_of(leg(request(0, 0.5, "piped"), piped));
  for (auto& values : values_of(leg(request(0.5, 1, "piped"), piped))) pieces.push_back(std::move(values));
  EXPECT_EQ(pieces, values_of(expected));
  expect_equal_checkpoints(folder.path() / "piped", folder.path() / "array");
}

/// Values of a tensor.
const std::vector<float>& floats(const std::vector<model::Tensor>& tensors, const std::string& name) {
  return std::get<std::vector<float>>(model::tensor_named(tensors, name).values);
}

/// Classes that `normalizing_model` takes rows of `x` for, batch_norm being by its moving moments.
std::vector<std::int64_t> classes_of(const std::vector<model::Tensor>& weights, const std::vector<float>& x) {
  std::vector<std::int64_t> classes;
  for (auto row = x.begin(); row != x.end(); row += 64) {
    std::array<double, 10> z{};
    for (std::size_t j = 0; j < 32; ++j) {
      double h = floats(weights, "0.bias")[j];
      for (std::size_t i = 0; i < 64; ++i)
        h += static_cast<double>(row[static_cast<std::ptrdiff_t>(i)]) * floats(weights, "0.kernel")[i * 32 + j];
      h = std::max(h, 0.0) - floats(weights, "1.moving_mean")[j];
      h *= floats(weights, "1.gamma")[j] / std::sqrt(floats(weights, "1.moving_variance")[j] + 1e-3);
      h += floats(weights, "1.beta")[j];
      for (std::size_t k = 0; k < 10; ++k) z[k] += h * floats(weights, "2.kernel")[j * 10 + k];
    }
    for (std::size_t k = 0; k < 10; ++k) z[k] += floats(weights, "2.bias")[k];
    classes.push_back(std::ranges::max_element(z) - z.begin());
  }
  return classes;
}

TEST_F(Training, TestsTheBestWeightsWithTheMomentsThatTheyHad) {
  model = normalizing_model;
  write_files();
  Train asked = request(0, 1, "c");
  asked.maximizes = false;  // the best evaluation then comes long before the last
  const Learned learned = leg(asked);
  ASSERT_LT(learned.best_step, learned.curve.points.back().step / 2);
  asked.from = 1;
  asked.tests = true;
  const Learned tested = leg(asked);
  const auto state = worker::read_checkpoint(folder.path() / "c");
  const auto data = model::read_safetensors(folder.path() / "d");
  const auto& wanted = std::get<std::vector<std::int32_t>>(model::tensor_named(data, "test_y").values);
  std::vector<bool> right;
  for (const std::int64_t each : classes_of(state->best, floats(data, "test_x")))
    right.push_back(each == wanted[right.size()]);
  EXPECT_EQ(sweep::hits_of(tested.test_hits, tested.test_samples), right);
  EXPECT_NE(floats(state->best, "1.moving_variance"), floats(state->weights, "1.moving_variance"));
}

bool has_waiting_gradients(const std::vector<model::Tensor>& optimizer) {
  return std::ranges::any_of(optimizer, [](const model::Tensor& tensor) {
    const auto* const values = std::get_if<std::vector<float>>(&tensor.values);
    return tensor.name.starts_with("gradient_sum/") && values != nullptr &&
           std::ranges::any_of(*values, [](float value) { return value != 0; });
  });
}

TEST_F(Training, ALegMayEndBetweenUpdates) {
  write_files();
  const std::string more = R"(,"accumulate":4,"clip_norm":1.0,"weight_decay":0.1,"schedule":"cosine")";
  const Learned whole = leg(request(0, 1, "whole"), more);
  auto pieces = values_of(leg(request(0, 0.5, "pieces"), more));
  const auto half = worker::read_checkpoint(folder.path() / "pieces");
  ASSERT_TRUE(half);
  EXPECT_EQ(half->step, 53) << "one step behind the 13th update";
  EXPECT_TRUE(has_waiting_gradients(half->optimizer));
  for (auto& values : values_of(leg(request(0.5, 1, "pieces"), more))) pieces.push_back(std::move(values));
  EXPECT_EQ(pieces, values_of(whole));
  expect_equal_checkpoints(folder.path() / "pieces", folder.path() / "whole");
}

TEST_F(Training, StepsBehindTheLastUpdateChangeNothing) {
  write_files();
  Train asked = request(0, 1, "c");
  asked.epochs.reset();
  asked.steps = 8;
  asked.evaluations = 8;
  const auto curve = values_of(leg(asked, R"(,"accumulate":3)"));
  ASSERT_EQ(curve.size(), 8U);
  constexpr std::size_t validation = 1;
  for (const std::size_t i : {1U, 3U, 4U, 6U, 7U})
    EXPECT_EQ(curve[i][validation], curve[i - 1][validation]) << "step " << i + 1 << " waits";
  for (const std::size_t i : {2U, 5U}) EXPECT_NE(curve[i][validation], curve[i - 1][validation]);
}

TEST_F(Training, BeginsAgainWhereItsCheckpointIsGone) {
  write_files();
  const Learned second = leg(request(0, 0.5, "a"));
  const Learned third = leg(request(0.5, 1, "a"));
  EXPECT_EQ(values_of(leg(request(0.5, 1, "nowhere"))), values_of(third));
  EXPECT_EQ(values_of(leg(request(0, 0.5, "a"))), values_of(second)) << "and a checkpoint that is further on tells it";
}

TEST_F(Training, BeginsWithTheInitialWeightsInAnArmThatWasTrainedToo) {
  model = normalizing_model;
  write_files();
  const auto worker = prepared();
  const Learned first = leg(*worker, request(0, 0.5, "a"));
  EXPECT_EQ(values_of(leg(*worker, request(0, 0.5, "b"))), values_of(first));
  expect_equal_checkpoints(folder.path() / "b", folder.path() / "a");
}

TEST_F(Training, TestsTheBestWeightsAndOnlyWhereItIsAsked) {
  write_files();
  Train asked = request(1, 1, "c");
  asked.tests = true;
  EXPECT_THROW(leg(asked), std::runtime_error) << "nothing was trained";
  leg(request(0, 1, "c"));
  const Learned tested = leg(asked);
  ASSERT_TRUE(tested.test_accuracy && tested.test_loss);
  EXPECT_GT(*tested.test_accuracy, 0.9);
  const auto hits = sweep::hits_of(tested.test_hits, tested.test_samples);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(hits, true)) / static_cast<double>(hits.size()),
              *tested.test_accuracy, 1e-12);
  EXPECT_TRUE(tested.curve.points.empty());
}

TEST_F(Training, StopsEarlyOnceNothingImproves) {
  write_files();
  Train asked = request(0, 1, "c");
  asked.patience = 2;
  asked.min_delta = 1;  // more than any accuracy can gain after its first
  const Learned stopped = leg(asked);
  EXPECT_EQ(stopped.end, LegEnd::stopped);
  EXPECT_EQ(stopped.curve.points.size(), 3U) << "the first one is a gain";
  asked.from = 0.5;
  const Learned later = leg(asked);
  EXPECT_EQ(later.end, LegEnd::stopped);
  EXPECT_TRUE(later.curve.points.empty());
}

TEST_F(Training, DivergingIsAnEndAndNoError) {
  model = R"({"name":"m","input":[64],"layers":[{"dense":32,"activation":"relu"},{"dense":10,"activation":"softmax"}],)"
          R"("loss":"sparse_categorical_crossentropy","optimizer":{"sgd":{"learning_rate":0.1}}})";
  write_files();
  const Learned learned = leg(request(0, 1, "c"), R"(,"learning_rate":1e38)");
  EXPECT_EQ(learned.end, LegEnd::diverged);
}

TEST_F(Training, ReadsEveryHyperparameter) {
  write_files();
  const Learned plain = leg(request(0, 1, "plain"));
  for (const char* const more : {R"(,"learning_rate":0.01)", R"(,"weight_decay":0.1)", R"(,"clip_norm":0.01)",
                                 R"(,"schedule":"cosine")", R"(,"warmup":0.5)", R"(,"accumulate":2)"}) {
    EXPECT_NE(values_of(leg(request(0, 1, std::string(more + 2, 4)), more)), values_of(plain)) << more;
  }
}

TEST_F(Training, RefusesAMetricThatTheModelDoesNotHave) {
  write_files();
  Train asked = request(0, 1, "c");
  asked.metric = "f1";
  try {
    leg(asked);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "unsupported: objective.metric is f1, which this model does not have (it has train_loss, "
                 "validation_loss, validation_accuracy); choose one of these");
  }
}

}  // namespace
}  // namespace regatta::testing
