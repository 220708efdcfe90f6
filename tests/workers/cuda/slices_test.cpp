// A slice ends when its device is done: what is stopped afterwards leaves nothing running beside others.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "benchmark.hpp"
#include "regatta/engine/open_plugin.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/model/tensors.hpp"
#include "support/cuda/control.hpp"
#include "support/places.hpp"

namespace regatta::worker {
namespace {

const std::string& plugin() {
  static const std::string file = support::binary_folder() + "/tests/support/cuda/libregatta_cuda_emulated.so";
  return file;
}

const cuda_fakes::Control& control() {
  void* const library = ::dlopen(plugin().c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto entry = reinterpret_cast<const cuda_fakes::Control* (*)()>(::dlsym(library, cuda_fakes::kControlEntry));
  return *entry();
}

/// Pieces of work that the device has done so far.
std::int64_t done() {
  const cuda_fakes::Counters counters = control().counters();
  return counters.kernels + counters.products + counters.copies_to_device + counters.copies_to_host + counters.fills;
}

class Slices : public ::testing::TestWithParam<engine::Transfers> {
 protected:
  static Arm arm(const model::Model& model, engine::Mode mode) {
    Arm made;
    made.model = model;
    made.settings.mode = mode;
    made.settings.batch = 4;
    made.device.name = "cuda";
    made.backend = engine::open_plugin(plugin(), {.transfers = GetParam()});
    return made;
  }
  static Arm network(engine::Mode mode) {
    Arm made = arm(model::find_model("mlp-10", 1).value(), mode);
    made.weights = model::initial_weights(std::get<model::Network>(made.model), 1);
    made.batch_tensors = {{"x", {2, 4, 10}, std::vector<float>(80, 0.5F)}, {"y", {2, 4, 1}, std::vector<float>(8, 1)}};
    return made;
  }
  static Arm product(engine::Mode mode) {
    Arm made = arm(model::Matmul{"matmul-4", 4}, mode);
    made.batch_tensors = {{"x", {1, 4, 4}, std::vector<float>(16, 0.5F)}, {"y", {1, 4, 4}, std::vector<float>(16, 1)}};
    return made;
  }
  static void start(Arm& made) {
    made.batches = batches_of(made.batch_tensors);
    made.feeder.emplace(made.feeding, made.batch_tensors, made.batches);
    made.session = engine::make_session(made.model, made.weights, made.settings, *made.backend);
  }
  /// Copies to the device. Copies from pageable memory count as copies on the device, where the driver has staged them.
  static std::int64_t copies() {
    const cuda_fakes::Counters counters = control().counters();
    return counters.copies_to_device + counters.copies_on_device;
  }
  static std::int64_t copies_in_three_steps(Arm& made) {
    const std::int64_t before = copies();
    run_slice(made, {{0}, stats::Phase::steady, 0, 0, 3, 1});
    return copies() - before;
  }
};

TEST_P(Slices, EndWithAnIdleDevice) {
  control().reset();
  control().set_orders({cuda_fakes::StreamOrder::late, cuda_fakes::ThreadOrder::forward, 1});
  for (const engine::Mode mode : {engine::Mode::eager, engine::Mode::graph}) {
    Arm prepared = network(mode);
    start(prepared);
    run_slice(prepared, {{0}, stats::Phase::steady, 0, 2, 3, 2});
    const std::int64_t at_the_end = done();
    prepared.backend->synchronize(prepared.backend->event());
    EXPECT_EQ(done(), at_the_end) << "something was left to do";
    EXPECT_EQ(control().complaints(), 0);
  }
}

TEST_P(Slices, CopyEachBatchOfANetworkAndTheOperandsOfAProductOnce) {
  control().reset();
  control().set_orders({cuda_fakes::StreamOrder::early, cuda_fakes::ThreadOrder::forward, 1});
  for (const engine::Mode mode : {engine::Mode::eager, engine::Mode::graph}) {
    Arm fed = network(mode);
    start(fed);
    for (int slice = 0; slice < 2; ++slice) EXPECT_EQ(copies_in_three_steps(fed), 3 * 2);
    Arm kept = product(mode);
    start(kept);
    EXPECT_EQ(copies_in_three_steps(kept), 2);
    EXPECT_EQ(copies_in_three_steps(kept), 0) << "they are there";
  }
}

INSTANTIATE_TEST_SUITE_P(InEveryWay, Slices,
                         ::testing::Values(engine::Transfers::pinned, engine::Transfers::pageable,
                                           engine::Transfers::overlapped));

}  // namespace
}  // namespace regatta::worker
