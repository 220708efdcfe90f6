// The program regatta-worker: its command line, and what only the native engine does.
#include <gmock/gmock.h>

#include "regatta/base/files.hpp"
#include "regatta/model/tensors.hpp"
#include "regatta/protocol/codec.hpp"
#include "support/temporary_folder.hpp"
#include "workers/trials.hpp"

namespace regatta::testing {
namespace {

using namespace protocol;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

int run(std::vector<std::string> words) {
  words.insert(words.begin(), native_worker());
  return WorkerProcess(words).wait();
}

TEST(NativeWorker, WeightsAndBatchesAreTheSameBytesEachTime) {
  const support::TemporaryFolder one;
  const support::TemporaryFolder other;
  const TrialSpec spec{.model = "digits-mlp", .dataset = "digits"};
  const Prepare first = prepare_request(spec, one.path());
  const Prepare second = prepare_request(spec, other.path());
  EXPECT_TRUE(read_file(first.weights_path) == read_file(second.weights_path));
  EXPECT_TRUE(read_file(first.batches_path) == read_file(second.batches_path));
}

TEST(NativeWorker, AnotherSeedGivesOtherWeightsAndOtherSyntheticBatches) {
  const support::TemporaryFolder one;
  const support::TemporaryFolder other;
  const Prepare first = prepare_request({.model = "mlp-10"}, one.path());
  const Prepare second = prepare_request({.model = "mlp-10", .seed = 1}, other.path());
  EXPECT_FALSE(read_file(first.weights_path) == read_file(second.weights_path));
  EXPECT_FALSE(read_file(first.batches_path) == read_file(second.batches_path));
}

TEST(NativeWorker, WeightsLeavesNothingBesideItsFiles) {
  const support::TemporaryFolder folder;
  prepare_request({.model = "mlp-10"}, folder.path());
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) names.push_back(entry.path().filename());
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("weights-mlp-10", "batches-mlp-10"));
}

TEST(NativeWorker, EitherOutputOfWeightsMayBeLeftOut) {
  const support::TemporaryFolder folder;
  const std::vector<std::string> words = {"weights", "--parameters", parameters_json({.model = "mlp-10"}), "--model",
                                          model_json("mlp-10")};
  const auto with = [&](const std::string& option, const std::string& file) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {option, folder.path() / file});
    return run(all);
  };
  EXPECT_EQ(with("--weights", "w"), 0);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "b"));
  EXPECT_EQ(with("--batches", "b"), 0);
  EXPECT_THAT(model::read_safetensors(folder.path() / "w"), SizeIs(4));
  EXPECT_THAT(model::read_safetensors(folder.path() / "b"), SizeIs(2));
}

TEST(NativeWorker, BadCommandLinesExitWithTwo) {
  EXPECT_EQ(run({"--frobnicate", "1"}), 2);
  EXPECT_EQ(run({"--fd"}), 2);
  EXPECT_EQ(run({"--fd", "x"}), 2);
  EXPECT_EQ(run({"--fd", "987"}), 2) << "it is not open";
  EXPECT_EQ(run({"feed", "--data", "/nowhere.npy", "--fd", "987"}), 2) << "nor is it here";
  EXPECT_EQ(run({"weights", "--model", "{}"}), 2);
  EXPECT_EQ(run({"weights", "--parameters", "{}", "--model", R"({"name":"x"})"}), 2);
  EXPECT_EQ(run({"weights", "--parameters", "{}", "--model", model_json("matmul-1000"), "--weights", "/tmp/x"}), 2);
}

TEST(NativeWorker, AFolderThatCannotBeWrittenExitsWith74) {
  EXPECT_EQ(run({"weights", "--parameters", parameters_json({.model = "mlp-10"}), "--model", model_json("mlp-10"),
                 "--weights", "/nowhere/w"}),
            74);
}

TEST(NativeWorker, ServesOnTheDescriptorThatItIsGiven) {
  WorkerProcess worker({native_worker(), "--fd", "3"});
  EXPECT_EQ(expect_reply<Ready>(worker.ask(Hello{})).engine, "native");
}

TEST(NativeWorker, SaysItsVersion) {
  WorkerProcess worker({native_worker(), "--version"});
  EXPECT_EQ(worker.wait(), 0);
  EXPECT_THAT(worker.standard_output(), HasSubstr("regatta-worker "));
}

TEST(NativeWorker, NamesItsModesAndInstructionSet) {
  const auto ready = expect_reply<Ready>(start_native()->ask(Hello{}));
  EXPECT_THAT(ready.modes, ::testing::UnorderedElementsAre("eager", "graph"));
  EXPECT_THAT(ready.details.at("isa"), ::testing::AnyOf("avx512", "avx2", "baseline"));
}

TEST(NativeWorker, NamesTheKernelsThatItChose) {
  const support::TemporaryFolder folder;
  const auto worker = start_native();
  const std::string isa = expect_reply<Ready>(worker->ask(Hello{})).details.at("isa");
  const auto kernels = [&](const TrialSpec& spec) {
    const auto prepared = expect_reply<Prepared>(worker->ask(prepare_request(spec, folder.path())));
    return sweep::text_of(prepared.facts, sweep::Fact::kernels);
  };
  EXPECT_EQ(kernels({.model = "noop"}), isa);
  // Small products: choosing has a time limit, which large ones would reach with sanitizers on a busy machine.
  EXPECT_THAT(kernels({.model = "mlp-784"}), ::testing::StartsWith(isa + "; matmul 32 128 784 nn: "));
}

TEST(NativeWorker, RunsModelsWithoutWeights) {
  const support::TemporaryFolder folder;
  const auto worker = start_native();
  for (const char* name : {"noop", "scalar-gradient", "matmul-1000"}) {
    for (const char* mode : {"eager", "graph"}) {
      expect_reply<Prepared>(worker->ask(prepare_request({.model = name, .mode = mode}, folder.path())));
      EXPECT_THAT(expect_reply<Samples>(worker->ask(Slice{{0}, {stats::Phase::steady, 0, {0, 3, 1}}})).samples,
                  SizeIs(3))
          << name;
    }
  }
  expect_reply<Prepared>(worker->ask(prepare_request({.model = "scalar-gradient"}, folder.path())));
  const auto losses = expect_reply<Checked>(worker->ask(Check{{0}, 1})).losses;
  EXPECT_THAT(losses, ::testing::ElementsAre(::testing::ElementsAre(4.0))) << "d(x^2)/dx at 2";
}

TEST(NativeWorker, AModelBeyondMemoryIsOutOfMemory) {
  const support::TemporaryFolder folder;
  Prepare request = prepare_request({.model = "mlp-10"}, folder.path());
  request.model =
      R"({"name":"huge","input":[1000000],"layers":[{"dense":1000000}],"loss":"mse","optimizer":{"sgd":{"learning_rate":1}}})";
  const auto worker = start_native();
  const auto error = expect_reply<Error>(worker->ask(request));
  EXPECT_EQ(error.kind, "out_of_memory") << error.message;
  EXPECT_EQ(expect_reply<Ready>(worker->ask(Hello{})).engine, "native");
}

TEST(NativeWorker, ADeviceWhosePluginIsNotBesideItIsNamed) {
  const support::TemporaryFolder folder;
  const std::string alone = folder.path() / "regatta-worker";  // where a build has the plugin, it lies beside the other
  std::filesystem::copy_file(native_worker(), alone);
  const auto worker = std::make_unique<WorkerProcess>(std::vector<std::string>{alone});
  const auto error =
      expect_reply<Error>(worker->ask(prepare_request({.model = "mlp-10", .device = "cuda"}, folder.path())));
  EXPECT_EQ(error.kind, "unsupported");
  EXPECT_THAT(error.message, HasSubstr("was built without the device cuda (there is no "));
  EXPECT_THAT(error.message, HasSubstr("libregatta_cuda.so); build the preset cuda"));
  expect_reply<Prepared>(worker->ask(prepare_request({.model = "mlp-10"}, folder.path())));
}

TEST(NativeWorker, EmptiedKernelsComputeNothing) {
  const support::TemporaryFolder folder;
  const auto worker = start_native();
  EXPECT_THAT(expect_reply<Ready>(worker->ask(Hello{})).interventions, ::testing::Contains("kernels_emptied"));
  const auto request = prepare_request({.model = "mlp-10", .intervention = "kernels_emptied"}, folder.path());
  expect_reply<Prepared>(worker->ask(request));
  const auto losses = expect_reply<Checked>(worker->ask(Check{{0}, 1})).losses;
  EXPECT_THAT(losses, ::testing::Each(::testing::Each(0.0)));
}

TEST(NativeWorker, AnswersInTheFormOfTheRequest) {
  const auto worker = start_native();
  EXPECT_EQ(expect_reply<protocol::Ready>(worker->ask(protocol::Hello{})).packed, protocol::packed_layout());
  const protocol::WorkerRequest release = protocol::Release{{0}};
  worker->send(protocol::encode(protocol::to_packed(release)) + protocol::encode(protocol::to_frame(release)));
  for (const bool packs : {true, false}) {
    const protocol::Frame answer = worker->receive_frame();
    EXPECT_EQ(protocol::is_packed(answer), packs);
    expect_reply<protocol::Released>(protocol::parse_worker_reply(answer));
  }
}

TEST(NativeWorker, APackedRequestThatCannotBeReadIsAnsweredAndTheNextOneServed) {
  const auto worker = start_native();
  worker->send(std::string("\x01\x01\0\0\0\x63", 6));
  EXPECT_EQ(expect_reply<protocol::Error>(worker->receive()).kind, "reported");
  expect_reply<protocol::Ready>(worker->ask(protocol::Hello{}));
}

}  // namespace
}  // namespace regatta::testing
