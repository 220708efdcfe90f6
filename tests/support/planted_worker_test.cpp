// The planted worker as a process: it speaks the protocol, and its samples cover the steps that were asked for.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "regatta/base/files.hpp"
#include "support/places.hpp"
#include "workers/worker_process.hpp"

namespace regatta::testing {
namespace {

using namespace protocol;
using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr const char* parameters = R"({"engine":"native@planted","repeat":null})";

class PlantedWorkerTest : public ::testing::Test {
 protected:
  static std::vector<std::string> command(std::vector<std::string> options) {
    options.insert(options.begin(), support::binary_folder() + "/bin/planted-worker");
    return options;
  }
  void start(const std::vector<std::string>& options) {
    worker = std::make_unique<WorkerProcess>(command(options));
    EXPECT_EQ(expect_reply<Ready>(worker->ask(Hello{})).engine, "native");
    EXPECT_EQ(
        expect_reply<Prepared>(worker->ask(Prepare{ArmIndex{2}, sweep::parse_parameters(parameters), "{}", "", ""}))
            .arm,
        ArmIndex{2});
  }
  std::vector<stats::Sample> slice(const Slice& request) {
    Samples piece = expect_reply<Samples>(worker->ask(request));
    std::vector<stats::Sample> samples = piece.samples;
    while (!piece.last) {
      piece = expect_reply<Samples>(worker->receive());
      samples.insert(samples.end(), piece.samples.begin(), piece.samples.end());
    }
    return samples;
  }

  std::unique_ptr<WorkerProcess> worker;
};

TEST_F(PlantedWorkerTest, SamplesCoverTheStepsThatWereAskedFor) {
  start({"--multiplies", "10"});
  const auto samples = slice({ArmIndex{2}, stats::Phase::steady, 7, 5, 10, 4});
  std::vector<std::uint32_t> steps;
  for (const stats::Sample& sample : samples) {
    steps.push_back(sample.steps);
    EXPECT_EQ(sample.slice, 7U);
    EXPECT_EQ(sample.arm, 2);
  }
  EXPECT_THAT(steps, ElementsAre(4, 1, 4, 4, 2));
  EXPECT_EQ(samples[1].phase, stats::Phase::reentry);
  EXPECT_EQ(samples[2].phase, stats::Phase::steady);
  for (std::size_t i = 1; i < samples.size(); ++i)
    EXPECT_NEAR(samples[i].start_seconds, samples[i - 1].start_seconds + samples[i - 1].seconds, 1e-6);
}

TEST_F(PlantedWorkerTest, ALongReentryIsFewSamplesAndALongSliceComesInPieces) {
  start({"--fold"});
  EXPECT_THAT(slice({ArmIndex{2}, stats::Phase::steady, 0, 1600, 1, 1}), SizeIs(16 + 1));
  EXPECT_THAT(slice({ArmIndex{2}, stats::Phase::steady, 0, 0, 20000, 1}), SizeIs(20000));
}

TEST_F(PlantedWorkerTest, ChecksAgreeWhateverTheMultiplies) {
  start({"--multiplies", "10"});
  const auto plain = expect_reply<Checked>(worker->ask(Check{ArmIndex{2}, 3})).losses;
  start({"--multiplies", "20", "--fold"});
  EXPECT_EQ(expect_reply<Checked>(worker->ask(Check{ArmIndex{2}, 3})).losses, plain);
  EXPECT_THAT(plain, SizeIs(3));
}

TEST_F(PlantedWorkerTest, OnAGridEachCallIsAPointOfIt) {
  start({"--multiplies", "10", "--lattice", "1ms"});
  for (const stats::Sample& sample : slice({ArmIndex{2}, stats::Phase::steady, 0, 0, 6, 2}))
    EXPECT_GE(sample.seconds, 0.001);
}

TEST_F(PlantedWorkerTest, OnlyTheFirstSliceAfterAStartTakesTheFirstPlace) {
  const auto mark = std::filesystem::path(::testing::TempDir()) / ("planted-" + std::to_string(::getpid()));
  start({"--multiplies", "1", "--slow-first", "2:" + mark.string()});
  const auto offered = [&] { return read_file(mark) == std::string("\1\0\0\0", 4); };
  EXPECT_TRUE(offered());
  slice({ArmIndex{2}, stats::Phase::warmup, 0, 0, 1, 1});
  EXPECT_TRUE(offered());
  slice({ArmIndex{2}, stats::Phase::steady, 0, 0, 1, 1});
  EXPECT_FALSE(offered());
  std::filesystem::remove(mark);
}

TEST_F(PlantedWorkerTest, StandaloneRunsAndExitsWithoutALink) {
  EXPECT_EQ(WorkerProcess(command({"--multiplies", "10", "--standalone", "5"})).wait(), 0);
  EXPECT_EQ(WorkerProcess(command({"--multiplies", "ten"})).wait(), 2);
}

TEST_F(PlantedWorkerTest, ItExitsWhenTheLinkEnds) {
  start({});
  worker->close_link();
  EXPECT_EQ(worker->wait(), 0);
}

}  // namespace
}  // namespace regatta::testing
