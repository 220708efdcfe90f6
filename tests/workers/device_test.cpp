// Trials on a device beside the processor: what of their parameters reaches the plugin, and what is told of it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "support/temporary_folder.hpp"
#include "workers/trials.hpp"

namespace regatta::testing {
namespace {

using namespace protocol;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class OnADevice : public ::testing::Test {
 protected:
  WorkerReply ask_for(TrialSpec spec) {
    spec.device = "cuda";
    return worker_->ask(prepare_request(spec, folder_.path()));
  }
  Prepared prepared(const TrialSpec& spec) { return expect_reply<Prepared>(ask_for(spec)); }
  std::string kernels(const TrialSpec& spec) { return sweep::text_of(prepared(spec).facts, sweep::Fact::kernels); }

  support::TemporaryFolder folder_;
  std::unique_ptr<WorkerProcess> worker_ = start_with_plugin(folder_.path());
};

TEST_F(OnADevice, TheWorkerOffersItBesideTheProcessor) {
  EXPECT_THAT(expect_reply<Ready>(worker_->ask(Hello{})).devices, ElementsAre("cpu", "cuda"));
  EXPECT_THAT(expect_reply<Ready>(start_native()->ask(Hello{})).devices, ::testing::Contains("cpu"));
}

TEST_F(OnADevice, TheAxesThatItAloneHasReachThePlugin) {
  EXPECT_EQ(kernels({.model = "mlp-10"}), "reference");
  EXPECT_EQ(kernels({.model = "mlp-10", .memory = "grow", .transfers = "pinned", .deterministic = "on"}), "reference");
  EXPECT_EQ(kernels({.model = "mlp-10", .memory = "preallocate", .transfers = "overlapped", .deterministic = "off"}),
            "reference, preallocate, overlapped, not deterministic");
  EXPECT_EQ(kernels({.model = "mlp-10", .transfers = "pageable"}), "reference, pageable");
}

TEST_F(OnADevice, PrecisionsThatThePluginRefusesAreUnsupported) {
  for (const char* precision : {"tf32", "bf16"}) {
    const auto error = expect_reply<Error>(ask_for({.model = "mlp-10", .precision = precision}));
    EXPECT_EQ(error.kind, "unsupported") << precision;
    EXPECT_THAT(error.message, HasSubstr("take precision fp32"));
  }
  const support::TemporaryFolder folder;
  const auto error = expect_reply<Error>(
      start_native()->ask(prepare_request({.model = "mlp-10", .precision = "tf32"}, folder.path())));
  EXPECT_THAT(error.message, HasSubstr("this processor has no precision tf32"));
}

TEST_F(OnADevice, ItsMemoryIsToldApartFromTheHosts) {
  const Prepared on_device = prepared({.model = "mlp-784"});
  ASSERT_TRUE(on_device.device_memory);
  EXPECT_GT(on_device.device_memory->held, 3U * 784 * 128 * sizeof(float)) << "weights and both of Adam's moments";
  EXPECT_EQ(on_device.device_memory->limit, 8U << 20);
  const Prepared on_host = expect_reply<Prepared>(worker_->ask(prepare_request({.model = "mlp-784"}, folder_.path())));
  EXPECT_FALSE(on_host.device_memory);
  EXPECT_LT(on_device.peak_bytes, on_host.peak_bytes) << "temporaries lie on the device";
}

TEST_F(OnADevice, WhatIsPreallocatedIsAllThatTheTrialGets) {
  EXPECT_GT(prepared({.model = "mlp-784", .memory = "grow"}).device_memory->held, 1U << 20);
  const auto error = expect_reply<Error>(ask_for({.model = "mlp-784", .memory = "preallocate"}));
  EXPECT_EQ(error.kind, "out_of_memory");
  prepared({.model = "mlp-10", .memory = "preallocate"});
  const auto checked = expect_reply<Checked>(worker_->ask(Check{{0}, 2, true}));
  EXPECT_EQ(checked.losses.size(), 2U) << "sessions beside it have memory of their own";
}

TEST_F(OnADevice, EmptiedKernelsComputeNothing) {
  prepared({.model = "mlp-10", .intervention = "kernels_emptied"});
  const auto losses = expect_reply<Checked>(worker_->ask(Check{{0}, 1})).losses;
  EXPECT_THAT(losses, ::testing::Each(::testing::Each(0.0)));
}

TEST_F(OnADevice, InputThatIsInPlaceIsFedOnce) {
  prepared({.model = "mlp-10", .intervention = "input_resident"});
  EXPECT_EQ(expect_reply<Samples>(worker_->ask(Slice{{0}, {stats::Phase::steady, 0, {0, 3, 1}}})).samples.size(), 3U);
}

TEST_F(OnADevice, PlanningIsToldApartFromTheRestOfPreparing) {
  const Prepared found = prepared({.model = "mlp-784"});
  const double planned = sweep::number_of(found.facts, sweep::Fact::plan_seconds);
  EXPECT_GT(planned, 0);
  EXPECT_LE(planned, found.seconds);
}

TEST(CalibrateADevice, PrintsRatesOfWhatItHas) {
  const support::TemporaryFolder folder;
  const std::string program = native_worker_with_plugin(folder.path());
  WorkerProcess worker({program, "calibrate", "--device", "cuda"});
  ASSERT_EQ(worker.wait(), 0);
  const auto found = nlohmann::json::parse(worker.standard_output());
  EXPECT_EQ(found.at("uuid"), "REFERENCE-0");
  EXPECT_EQ(found.at("name"), "reference kernels");
  for (const char* known : {"fp32_flops_per_second", "memory_bytes_per_second", "upload_bytes_per_second",
                            "download_bytes_per_second", "launch_seconds", "node_seconds"})
    EXPECT_GT(found.at(known).get<double>(), 0) << known;
  for (const char* refused : {"tf32_flops_per_second", "bf16_flops_per_second"})
    EXPECT_TRUE(found.at(refused).is_null()) << refused;
}

TEST(CalibrateADevice, ThatIsNotThereFails) {
  const support::TemporaryFolder folder;
  const std::string program = native_worker_with_plugin(folder.path());
  EXPECT_EQ(WorkerProcess({program, "calibrate", "--device", "cuda", "--index", "1"}).wait(), 1);
  EXPECT_EQ(WorkerProcess({program, "calibrate", "--device", "cuda", "--index", "x"}).wait(), 2);
  EXPECT_EQ(WorkerProcess({program, "calibrate", "--device", "abacus"}).wait(), 2);
}

}  // namespace
}  // namespace regatta::testing
