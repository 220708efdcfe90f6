#include <thread>

#include "engine/cuda/cuda.hpp"
#include "engine/cuda/cuda_test.hpp"

namespace regatta::engine::cuda {
namespace {

class CudaBackend : public CudaTest {};

TEST_F(CudaBackend, IsOfTheDeviceThatItWasMadeFor) {
  control.set_devices(2, std::int64_t{1} << 30);
  const auto backend = make_backend({.precision = Precision::tf32, .device = 1});
  EXPECT_STREQ(backend->isa(), "sm_90");
  EXPECT_EQ(backend->precision(), Precision::tf32);
  EXPECT_THAT(text_thrown<InputError>([] { make_backend({.device = 2}); }),
              testing::AllOf(testing::HasSubstr("GPU 2 is not there"), testing::HasSubstr("sees 2")));
  EXPECT_THROW(make_backend({.device = -1}), InputError);
}

TEST_F(CudaBackend, OfTheSecondDeviceMayBeUsedByAnyThread) {
  control.set_devices(2, std::int64_t{1} << 30);
  const auto backend = make_backend({.device = 1});
  std::vector<float> values{1, 2, 3};
  std::thread([&] {
    void* const memory = backend->allocate(12);
    backend->write(memory, values.data(), 12);
    values = read(*backend, memory, 3);
  }).join();
  EXPECT_EQ(values, (std::vector<float>{1, 2, 3}));
}

TEST_F(CudaBackend, IsOfADeviceThatKernelsAreCompiledFor) {
  control.set_compute_capability(80);
  EXPECT_STREQ(make_backend({})->isa(), "sm_80");
  control.set_compute_capability(79);
  EXPECT_THAT(text_thrown<InputError>([] { make_backend({}); }),
              testing::AllOf(testing::HasSubstr("compute capability 7.9"), testing::HasSubstr("8.0 and higher")));
}

TEST_F(CudaBackend, AConvolutionTakesNoLargeWorkspaceHoweverMuchMemoryThereIs) {
  const auto backend = make_backend({.precision = Precision::tf32, .memory_bytes = std::int64_t{64} << 30});
  const Conv1d op{
      {.batch = 2, .length = 20, .channels = 8, .positions = 18, .filters = 16, .taps = 3, .stride = 1, .pad = 0}};
  EXPECT_LT(backend->scratch_bytes(op), std::int64_t{256} << 20) << "the fake proposes one that wants a GiB";
}

TEST_F(CudaBackend, NothingIsPlannedForItThatAProcessorWants) {
  const PlanHints hints = make_backend({})->plan_hints();
  EXPECT_EQ(hints.sum_block, 0);
  EXPECT_EQ(hints.outer_b_rows, 0);
  EXPECT_EQ(hints.large_update_bytes, 0);
}

TEST_F(CudaBackend, EventsAreWaitedForInAnyOrder) {
  const auto backend = make_backend({});
  void* const memory = backend->allocate(4);
  std::vector<Event> events;
  for (int i = 0; i < 11; ++i) {
    backend->write(memory, nullptr, 4);
    events.push_back(backend->event());
  }
  EXPECT_TRUE(std::is_sorted(events.begin(), events.end()));
  for (const std::size_t i : {10, 0, 5, 9, 3}) EXPECT_NO_THROW(backend->synchronize(events[i]));
  backend->synchronize(0);
  EXPECT_THROW(backend->synchronize(events.back() + 1), InternalError);
  EXPECT_LE(control.counters().live_events, 10) << "they are used again";
}

TEST_F(CudaBackend, AWaitIsOverWhenAllWorkBeforeItIs) {
  control.set_orders({StreamOrder::late, ThreadOrder::forward, 1});
  const auto backend = make_backend({});
  void* const memory = backend->allocate(4);
  backend->synchronize(backend->event());
  const std::int64_t before = control.counters().fills;
  backend->write(memory, nullptr, 4);
  const Event event = backend->event();
  EXPECT_EQ(control.counters().fills, before);
  backend->synchronize(event);
  EXPECT_EQ(control.counters().fills, before + 1);
}

TEST_F(CudaBackend, BeforeTheFirstEventThereIsNothingToWaitFor) {
  control.set_orders({StreamOrder::late, ThreadOrder::forward, 1});
  const auto backend = make_backend({});
  void* const memory = backend->allocate(4);
  backend->synchronize(backend->event());
  const std::int64_t before = control.counters().fills;
  backend->write(memory, nullptr, 4);
  for (int i = 0; i < 8; ++i) static_cast<void>(backend->event());
  backend->synchronize(0);
  EXPECT_EQ(control.counters().fills, before);
}

TEST_F(CudaBackend, WhatALostDeviceToldOnceItTellsAtOnce) {
  expects_complaints = true;
  const auto backend = make_backend({});
  void* const memory = backend->allocate(4);
  control.fail_next("cudaMemsetAsync", cudaErrorIllegalAddress, 0);
  const auto write = [&] {
    backend->write(memory, nullptr, 4);
    backend->synchronize(backend->event());
  };
  const std::string first = text_thrown<LostDevice>(write);
  EXPECT_THAT(first, testing::HasSubstr("cudaErrorIllegalAddress"));
  EXPECT_EQ(text_thrown<LostDevice>(write), first);
  EXPECT_EQ(text_thrown<LostDevice>([&] { backend->allocate(4); }), first);
  EXPECT_EQ(text_thrown<LostDevice>([&] { backend->host_view(memory, 4); }), first);
  EXPECT_EQ(text_thrown<LostDevice>([&] { static_cast<void>(backend->event()); }), first);
  EXPECT_NO_THROW(backend->release(memory));
}

TEST_F(CudaBackend, EmptiedOperationsAreAsManyKernelsThatComputeNothing) {
  const OpSpec spec = MatMul{.m = 5, .n = 6, .k = 7, .derivative = Activation::tanh, .sum_columns = true};
  Random random(1);
  Memories operands = random_operands(random, spec);
  std::int64_t done[2] = {};
  for (const bool is_emptied : {false, true}) {
    const auto backend = make_backend({.precision = Precision::tf32, .empty_kernels = is_emptied});
    Memories after = operands;
    run_on(*backend, spec, after);
    EXPECT_EQ(after == operands, is_emptied);
    const Counters before = control.counters();
    run_on(*backend, spec, after);
    const Counters now = control.counters();
    done[is_emptied ? 1 : 0] = now.kernels + now.products - before.kernels - before.products;
  }
  EXPECT_EQ(done[0], done[1]);
  EXPECT_GE(done[0], 3);
}

}  // namespace
}  // namespace regatta::engine::cuda
