// Through the real worker: its checks are fed as its timed steps.
#include "batches/feeder.hpp"

#include <gmock/gmock.h>

#include "support/temporary_folder.hpp"
#include "workers/trials.hpp"

namespace regatta::testing {
namespace {

class Feeding : public ::testing::Test {
 protected:
  /// Losses of so many steps, behind some that were timed.
  std::vector<std::vector<double>> losses_of(TrialSpec spec) {
    spec.dataset = "digits";
    expect_reply<protocol::Prepared>(worker->ask(prepare_request(spec, folder.path())));
    expect_reply<protocol::Samples>(worker->ask(protocol::Slice{{0}, {stats::Phase::steady, 0, {0, 20, 1}}}));
    return expect_reply<protocol::Checked>(worker->ask(protocol::Check{{0}, 20})).losses;
  }

  const std::string model = "digits-mlp";
  support::TemporaryFolder folder;
  std::unique_ptr<WorkerProcess> worker = start_native();
};

TEST_F(Feeding, GivesTheSameLossesWhereverSamplesBecomeFloats) {
  const auto expected = losses_of({.model = model});
  ASSERT_NE(expected.front(), expected.back());
  for (const char* const host_dtype : {"uint8", "float64"}) {
    EXPECT_EQ(losses_of({.model = model, .host_dtype = host_dtype}), expected);
    EXPECT_EQ(losses_of({.model = model, .input = "headspace", .host_dtype = host_dtype}), expected);
    for (const char* const transform : {"", "step", "pipeline"})
      EXPECT_EQ(losses_of({.model = model,
                           .input = "pipeline",
                           .loader_workers = 1,
                           .host_dtype = host_dtype,
                           .transform = transform}),
                expected);
  }
}

TEST_F(Feeding, RefusesBytesOfSamplesThatAreNone) {
  const TrialSpec spec{.model = "digits-mlp", .host_dtype = "uint8"};
  const auto error = expect_reply<protocol::Error>(worker->ask(prepare_request(spec, folder.path())));
  EXPECT_EQ(error.kind, "unsupported");
  EXPECT_THAT(error.message, ::testing::HasSubstr("no bytes times a scale; use host_dtype float32"));
}

}  // namespace
}  // namespace regatta::testing
