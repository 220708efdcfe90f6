// The duties of every worker towards the agent, native or Python.
#include <gmock/gmock.h>

#include "regatta/base/clock.hpp"
#include "support/temporary_folder.hpp"
#include "workers/trials.hpp"

namespace regatta::testing {
namespace {

using namespace protocol;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Conversation : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static TrialSpec spec(const std::string& model = "mlp-10") {
    TrialSpec spec{.model = model, .engine = GetParam()};
    if (GetParam() == "numpy") spec.mode = "";
    return spec;
  }
  void prepare(ArmIndex arm, const std::string& model = "mlp-10") {
    expect_reply<Prepared>(worker->ask(prepare_request(spec(model), folder.path(), arm)));
  }

  support::TemporaryFolder folder;
  std::unique_ptr<WorkerProcess> worker = GetParam() == "native" ? start_native() : start_python();
};

INSTANTIATE_TEST_SUITE_P(Workers, Conversation, ::testing::Values("native", "numpy"),
                         [](const auto& test) { return test.param; });

TEST_P(Conversation, HelloIsAnsweredByWhatTheWorkerIs) {
  const auto ready = expect_reply<Ready>(worker->ask(Hello{}));
  EXPECT_EQ(ready.version, protocol::version);
  EXPECT_EQ(ready.engine, GetParam());
  EXPECT_FALSE(ready.engine_version.empty());
  EXPECT_THAT(ready.modes, Contains("eager"));
  EXPECT_THAT(ready.devices, Contains("cpu"));
}

TEST_P(Conversation, AnInterventionThatIsOfferedIsPreparedAndTimed) {
  const auto offered = expect_reply<Ready>(worker->ask(Hello{})).interventions;
  EXPECT_THAT(offered, Contains("input_resident"));
  for (const std::string& name : offered) {
    TrialSpec changed = spec();
    changed.intervention = name;
    expect_reply<Prepared>(worker->ask(prepare_request(changed, folder.path(), {1})));
    const auto reply = expect_reply<Samples>(worker->ask(Slice{{1}, {stats::Phase::steady, 0, {2, 20, 20}}}));
    ASSERT_THAT(reply.samples, SizeIs(2)) << name;
    EXPECT_EQ(reply.samples.back().steps, 20U);
  }
}

TEST_P(Conversation, AnInterventionThatIsNotOfferedIsUnsupported) {
  TrialSpec changed = spec();
  changed.intervention = "sleep";
  const auto error = expect_reply<Error>(worker->ask(prepare_request(changed, folder.path())));
  EXPECT_EQ(error.kind, "unsupported");
  EXPECT_THAT(error.message, HasSubstr("no intervention 'sleep'"));
}

TEST_P(Conversation, AResidentInputDoesTheSameWork) {
  TrialSpec changed = spec();
  const auto losses = [&](ArmIndex arm) {
    expect_reply<Prepared>(worker->ask(prepare_request(changed, folder.path(), arm)));
    expect_reply<Samples>(worker->ask(Slice{arm, {stats::Phase::steady, 0, {0, 5, 5}}}));
    return expect_reply<Checked>(worker->ask(Check{arm, 4})).losses;
  };
  const auto expected = losses({0});
  changed.intervention = "input_resident";
  EXPECT_EQ(losses({1}), expected);
  EXPECT_NE(expected[0], expected[1]);  // batches differ, so that one batch again and again would show
}

TEST_P(Conversation, AnotherVersionIsUnsupported) {
  const auto error = expect_reply<Error>(worker->ask(Hello{99}));
  EXPECT_EQ(error.kind, "unsupported");
  EXPECT_TRUE(error.final);
  EXPECT_THAT(error.message, HasSubstr("99"));
}

TEST_P(Conversation, ASliceIsStampedInGroupsAfterItsReentrySteps) {
  prepare({3});
  const double before = steady_seconds();
  const auto reply = expect_reply<Samples>(worker->ask(Slice{{3}, {stats::Phase::warmup, 17, {5, 20, 8}}}));
  const double after = steady_seconds();
  EXPECT_TRUE(reply.last);
  EXPECT_EQ(reply.arm, ArmIndex{3});
  ASSERT_THAT(reply.samples, SizeIs(4));
  EXPECT_THAT(reply.samples, Each(AllOf(Field(&stats::Sample::slice, 17U), Field(&stats::Sample::arm, 3),
                                        Field(&stats::Sample::flags, 0))));
  std::vector<std::pair<stats::Phase, unsigned>> parts;
  double covered = before;
  for (const stats::Sample& sample : reply.samples) {
    parts.emplace_back(sample.phase, sample.steps);
    EXPECT_GT(sample.seconds, 0);
    EXPECT_GE(sample.start_seconds, covered - 1e-6);
    covered = sample.start_seconds + sample.seconds;
  }
  EXPECT_LE(covered, after + 1e-6);
  using enum stats::Phase;
  EXPECT_THAT(parts, ::testing::ElementsAre(std::pair{reentry, 5U}, std::pair{warmup, 8U}, std::pair{warmup, 8U},
                                            std::pair{warmup, 4U}));
}

TEST_P(Conversation, ManySamplesComeInPiecesOf256KiB) {
  prepare({0});
  auto piece = expect_reply<Samples>(worker->ask(Slice{{0}, {stats::Phase::steady, 0, {1, 9000, 1}}}));
  EXPECT_FALSE(piece.last);
  EXPECT_THAT(piece.samples, SizeIs(8192));
  piece = expect_reply<Samples>(worker->receive());
  EXPECT_TRUE(piece.last);
  EXPECT_THAT(piece.samples, SizeIs(809));
}

TEST_P(Conversation, AnEmptySliceIsAnswered) {
  prepare({0});
  const auto reply = expect_reply<Samples>(worker->ask(Slice{{0}, {stats::Phase::steady, 0, {0, 0, 1}}}));
  EXPECT_TRUE(reply.last);
  EXPECT_THAT(reply.samples, SizeIs(0));
}

TEST_P(Conversation, ACheckGivesTheSameLossesBeforeAndAfterTraining) {
  prepare({0});
  const auto before = expect_reply<Checked>(worker->ask(Check{{0}, 3}));
  ASSERT_THAT(before.losses, SizeIs(3));
  EXPECT_THAT(before.losses, Each(SizeIs(32)));
  expect_reply<Samples>(worker->ask(Slice{{0}, {stats::Phase::steady, 0, {0, 50, 50}}}));
  EXPECT_EQ(expect_reply<Checked>(worker->ask(Check{{0}, 3})).losses, before.losses);
}

TEST_P(Conversation, HoldsSeveralArmsAndForgetsThoseReleased) {
  prepare({0});
  prepare({1}, "matmul-1000");
  EXPECT_EQ(expect_reply<Released>(worker->ask(Release{{0}})).arm, ArmIndex{0});
  const auto error = expect_reply<Error>(worker->ask(Slice{{0}}));
  EXPECT_EQ(error.arm, ArmIndex{0});
  EXPECT_EQ(error.kind, "reported");
  EXPECT_THAT(error.message, HasSubstr("arm 0 is not prepared"));
  expect_reply<Samples>(worker->ask(Slice{{1}}));
  expect_reply<Released>(worker->ask(Release{{0}}));
}

TEST_P(Conversation, PrepareSaysWhatTheArmNeeds) {
  const auto prepared = expect_reply<Prepared>(worker->ask(prepare_request(spec("mlp-784"), folder.path())));
  EXPECT_GT(prepared.seconds, 0);
  EXPECT_GT(prepared.peak_bytes, 101'770U * 4);
  EXPECT_LT(prepared.peak_bytes, 1U << 30);
}

TEST_P(Conversation, ALayerThatTheEngineLacksIsUnsupported) {
  auto request = prepare_request(spec(), folder.path());
  request.model = R"({"name": "odd", "input": [4, 2], "layers": [{"lstm": 3, "activation": "softmax"}, {"dense": 1}],)"
                  R"( "loss": "mse", "optimizer": {"sgd": {"learning_rate": 0.1}}})";
  const auto error = expect_reply<Error>(worker->ask(request));
  EXPECT_EQ(error.kind, "unsupported");
  EXPECT_EQ(error.arm, ArmIndex{0});
  EXPECT_THAT(error.message, HasSubstr("layer 0"));
}

TEST_P(Conversation, RequestsThatComeTogetherAreAnsweredInTheirOrder) {
  prepare({0});
  std::string bytes;
  for (std::uint32_t number = 0; number < 20; ++number)
    bytes += encode(to_frame(WorkerRequest(Slice{{0}, {stats::Phase::steady, number}})));
  worker->send(bytes + encode(to_frame(WorkerRequest(Release{{0}}))));
  for (std::uint32_t number = 0; number < 20; ++number)
    EXPECT_EQ(expect_reply<Samples>(worker->receive()).samples.at(0).slice, number);
  expect_reply<Released>(worker->receive());
}

TEST_P(Conversation, AMissingOrDamagedFileIsReportedByName) {
  auto request = prepare_request(spec(), folder.path());
  std::filesystem::resize_file(request.weights_path, 100);
  auto error = expect_reply<Error>(worker->ask(request));
  EXPECT_EQ(error.kind, "reported");
  EXPECT_THAT(error.message, HasSubstr("weights-mlp-10"));
  request.weights_path = "/nowhere/weights";
  error = expect_reply<Error>(worker->ask(request));
  EXPECT_EQ(error.kind, "reported");
  EXPECT_THAT(error.message, HasSubstr("/nowhere/weights"));
}

TEST_P(Conversation, ABadRequestIsAnsweredAndTheNextOneServed) {
  for (const char* line : {"{\"type\":\"train\"}\n", "{\"type\":\"slice\",\"arm\":0}\n", "{}\n",
                           "{\"type\":\"prepare\",\"arm\":0,\"parameters\":7,\"model\":{},\"weights_path\":\"\","
                           "\"batches_path\":\"\"}\n"}) {
    worker->send(line);
    EXPECT_EQ(expect_reply<Error>(worker->receive()).kind, "reported") << line;
  }
  expect_reply<Ready>(worker->ask(Hello{}));
}

TEST_P(Conversation, ASliceThatCannotBeIsRefused) {
  prepare({0});
  for (const Slice& slice : {Slice{{0}, {stats::Phase::steady, 0, {0, 1, 0}}},
                             Slice{{0}, {stats::Phase::steady, 0, {0, std::int64_t{1} << 40, 1}}}}) {
    EXPECT_EQ(expect_reply<Error>(worker->ask(slice)).kind, "reported");
  }
}

TEST_P(Conversation, BytesThatAreNoFrameEndTheWorker) {
  worker->send("no frame at all\n");
  EXPECT_EQ(expect_reply<Error>(worker->receive()).kind, "reported");
  EXPECT_EQ(worker->wait(), 1);
}

TEST_P(Conversation, StopAndTheEndOfTheLinkEndItQuietly) {
  expect_reply<Ready>(worker->ask(Hello{}));
  prepare({0});
  worker->close_link();
  EXPECT_EQ(worker->wait(), 0);
  EXPECT_EQ(worker->standard_output(), "");

  const auto other = GetParam() == "native" ? start_native() : start_python();
  other->send("{\"type\":\"stop\"}\n");
  EXPECT_EQ(other->wait(), 0);
}

}  // namespace
}  // namespace regatta::testing
