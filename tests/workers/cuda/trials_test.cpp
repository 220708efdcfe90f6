// Trials of the native engine on an emulated GPU, in a worker of its own: what the parameters of a device ask for is
// there, and it computes what the processor does.
#include "workers/trials.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "support/places.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::testing {
namespace {

using namespace protocol;
using ::testing::HasSubstr;

constexpr std::int64_t steps = 3;

class EmulatedGpu : public ::testing::Test {
 protected:
  EmulatedGpu() {
    std::filesystem::copy_file(native_worker(), program_);
    std::filesystem::create_symlink(support::binary_folder() + "/tests/support/cuda/libregatta_cuda_emulated.so",
                                    folder_.path() / "libregatta_cuda.so");
  }

  WorkerReply ask_for(TrialSpec spec, const std::string& device = "cuda") {
    spec.device = device;
    return worker().ask(prepare_request(spec, folder_.path()));
  }
  Prepared prepared(const TrialSpec& spec) { return expect_reply<Prepared>(ask_for(spec)); }
  std::vector<std::vector<double>> losses(const TrialSpec& spec, const std::string& device = "cuda") {
    expect_reply<Prepared>(ask_for(spec, device));
    return expect_reply<Checked>(worker().ask(Check{{0}, steps, true})).losses;
  }
  void expect_slice() {
    const auto slice = expect_reply<Samples>(worker().ask(Slice{{0}, {stats::Phase::steady, 0, {0, steps, 1}}}));
    EXPECT_EQ(slice.samples.size(), static_cast<std::size_t>(steps));
  }

  /// Started at the first request.
  WorkerProcess& worker() {
    if (!worker_) worker_ = std::make_unique<WorkerProcess>(std::vector<std::string>{program_}, variables_);
    return *worker_;
  }

  support::TemporaryFolder folder_;
  std::string program_ = folder_.path() / "regatta-worker";
  std::vector<std::string> variables_ = {"REGATTA_EMULATED_CUDA=devices=1,memory=256MiB,streams=late",
                                         "XDG_CACHE_HOME=" + folder_.path().string()};

 private:
  std::unique_ptr<WorkerProcess> worker_;
};

double largest_distance(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  double largest = a.size() == b.size() ? 0 : 1;
  for (std::size_t step = 0; step < std::min(a.size(), b.size()); ++step) {
    if (a[step].size() != b[step].size()) return 1;
    for (std::size_t i = 0; i < a[step].size(); ++i)
      largest = std::max(largest, std::abs(a[step][i] - b[step][i]) / std::max(std::abs(a[step][i]), 1e-3));
  }
  return largest;
}

struct Rounding {
  const char* precision;
  double tolerance;
};

/// A test for each precision: an emulated device takes minutes under a sanitizer.
class EmulatedGpuIn : public EmulatedGpu, public ::testing::WithParamInterface<Rounding> {};

TEST_P(EmulatedGpuIn, ComputesWhatTheProcessorDoes) {
  const auto& [precision, tolerance] = GetParam();
  for (const char* model : {"mlp-10", "cnn-28"}) {
    TrialSpec spec{.model = model, .batch = 2};  // in fp32 all ways to convolve are tried, thread by thread
    const auto plain = losses(spec, "cpu");
    spec.precision = precision;
    const double distance = largest_distance(plain, losses(spec));
    EXPECT_LE(distance, tolerance) << model;
    expect_slice();
    const bool is_rounded = precision != std::string("fp32");
    EXPECT_TRUE(!is_rounded || distance > 1e-6) << model << ": is it rounded at all?";
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, EmulatedGpuIn,
                         ::testing::Values(Rounding{"fp32", 1e-4}, Rounding{"tf32", 2e-2}, Rounding{"bf16", 0.2}),
                         [](const auto& of) { return std::string(of.param.precision); });

TEST_F(EmulatedGpu, TakesBatchesInEveryWayWithTheSameBits) {
  TrialSpec spec{.model = "mlp-10", .batch = 4};
  spec.transfers = "pinned";
  const auto pinned = losses(spec);
  for (const char* way : {"pageable", "overlapped"}) {
    spec.transfers = way;
    EXPECT_EQ(losses(spec), pinned) << way;
    expect_slice();
  }
}

TEST_F(EmulatedGpu, HoldsMoreThanItNeedsWhereMemoryIsPreallocated) {
  const TrialSpec grows{.model = "mlp-10", .batch = 4};
  TrialSpec takes = grows;
  takes.memory = "preallocate";
  const auto grown = prepared(grows).device_memory;
  const auto taken = prepared(takes).device_memory;
  ASSERT_TRUE(grown && taken);
  EXPECT_EQ(grown->limit, 256U << 20);
  EXPECT_GE(taken->held, taken->limit / 8);
  EXPECT_GT(grown->held, 0U);
  EXPECT_EQ(expect_reply<Checked>(worker().ask(Check{{0}, steps, true})).losses.size(),
            static_cast<std::size_t>(steps));
}

TEST_F(EmulatedGpu, IssuesEmptyKernelsAndFeedsOnceWhereItIsAskedTo) {
  for (const char* mode : {"eager", "graph"}) {
    for (const char* intervention : {"kernels_emptied", "input_resident"}) {
      prepared({.model = "mlp-10", .mode = mode, .batch = 4, .intervention = intervention});
      expect_slice();
    }
  }
}

TEST_F(EmulatedGpu, IsCalibratedInAllOfItsPrecisions) {
  WorkerProcess worker({program_, "calibrate", "--device", "cuda"}, variables_);
  ASSERT_EQ(worker.wait(), 0);
  const auto found = nlohmann::json::parse(worker.standard_output());
  EXPECT_THAT(found.at("uuid").get<std::string>(), ::testing::StartsWith("GPU-"));
  for (const auto& [key, value] : found.items()) {
    const bool is_figure = key != "uuid" && key != "name";
    EXPECT_TRUE(!is_figure || (value.is_number() && value.get<double>() > 0)) << key;
  }
}

TEST_F(EmulatedGpu, WithoutADriverSaysSo) {
  variables_ = {"REGATTA_EMULATED_CUDA=no_driver"};
  const auto error = expect_reply<Error>(ask_for({.model = "mlp-10"}));
  EXPECT_THAT(error.message, HasSubstr("driver"));
  expect_reply<Prepared>(ask_for({.model = "mlp-10"}, "cpu"));
}

}  // namespace
}  // namespace regatta::testing
