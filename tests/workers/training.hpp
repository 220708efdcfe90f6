// Runs of trainings through real workers, and what two of them have in common.
#pragma once

#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "regatta/sweep/training.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"
#include "workers/trials.hpp"

namespace regatta::testing {

using protocol::Train;
using protocol::Trained;
using sweep::Learned;

inline constexpr const char* digits_model =
    R"({"name":"m","input":[64],"layers":[{"dense":32,"activation":"relu"},{"dropout":0.2},)"
    R"({"dense":10,"activation":"softmax"}],"loss":"sparse_categorical_crossentropy",)"
    R"("optimizer":{"adam":{"learning_rate":0.005}}})";

inline constexpr const char* normalizing_model =
    R"({"name":"m","input":[64],"layers":[{"dense":32,"activation":"relu"},{"batch_norm":true},)"
    R"({"dense":10,"activation":"softmax"}],"loss":"sparse_categorical_crossentropy",)"
    R"("optimizer":{"adam":{"learning_rate":0.005}}})";

/// The files of a run, and the requests that prepare and train it.
class Training : public ::testing::Test {
 protected:
  [[nodiscard]] std::string parameters(const std::string& more) const {
    return R"({"engine":"native","model":"m","mode":"graph","device":"cpu","dataset":"digits","batch":32,"seed":)" +
           std::to_string(seed) + R"(,"threads":1,"precision":"fp32","ranks":1,"repeat":0)" + more + "}";
  }

  void write_files() {
    const std::filesystem::path source = std::filesystem::path(support::source_folder());
    WorkerProcess writer({native_worker(), "weights", "--parameters", parameters(""), "--model", model, "--datasets",
                          (source / "datasets").string(), "--weights", (folder.path() / "w").string(), "--data-set",
                          (folder.path() / "d").string()});
    ASSERT_EQ(writer.wait(), 0);
  }

  [[nodiscard]] Train request(double from, double to, const std::string& checkpoint) const {
    Train asked;
    asked.from = from;
    asked.to = to;
    asked.data_path = (folder.path() / "d").string();
    asked.checkpoint_path = (folder.path() / checkpoint).string();
    asked.epochs = 3;
    asked.evaluations = 6;
    asked.validation = 0.2;
    asked.metric = sweep::validation_accuracy;
    return asked;
  }

  [[nodiscard]] std::unique_ptr<WorkerProcess> prepared(const std::string& more = "") const {
    auto worker = start_native();
    expect_reply<protocol::Prepared>(worker->ask(protocol::Prepare{
        {0}, sweep::parse_parameters(parameters(more)), model, (folder.path() / "w").string(), "", ""}));
    return worker;
  }

  static Learned leg(WorkerProcess& worker, const Train& asked) {
    auto reply = worker.ask(asked);
    while (std::holds_alternative<protocol::Progress>(reply)) reply = worker.receive();
    return expect_reply<Trained>(reply).learned;
  }

  /// In a process of its own.
  Learned leg(const Train& asked, const std::string& more = "") { return leg(*prepared(more), asked); }

  std::string model = digits_model;
  int seed = 3;
  support::TemporaryFolder folder;
};

/// All but the seconds.
inline std::vector<std::vector<double>> values_of(const Learned& learned) {
  std::vector<std::vector<double>> values;
  for (const sweep::CurvePoint& point : learned.curve.points) {
    values.push_back(point.values);
    values.back().push_back(static_cast<double>(point.step));
    values.back().push_back(static_cast<double>(point.samples));
  }
  return values;
}

inline void expect_equal(const std::vector<model::Tensor>& found, const std::vector<model::Tensor>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].name, expected[i].name);
    EXPECT_EQ(found[i].values, expected[i].values) << found[i].name;
  }
}

inline void expect_equal_checkpoints(const std::filesystem::path& found, const std::filesystem::path& expected) {
  const auto one = worker::read_checkpoint(found), other = worker::read_checkpoint(expected);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->step, other->step);
  expect_equal(one->weights, other->weights);
  expect_equal(one->optimizer, other->optimizer);
  expect_equal(one->best, other->best);
}

}  // namespace regatta::testing
