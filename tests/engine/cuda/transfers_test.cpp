// src/engine/cuda/transfers.cpp and staging.cpp, through the backend.
#include "engine/cuda/transfers.hpp"

#include "engine/cuda/cuda_test.hpp"
#include "engine/cuda/staging.hpp"

namespace regatta::engine::cuda {
namespace {

constexpr Transfers kAllTransfers[] = {Transfers::pinned, Transfers::pageable, Transfers::overlapped};

class BackendTransfers : public CudaTest {
 protected:
  /// sum += x, so that each step reads what was imported for it.
  static void add(Backend& backend, void* sum, void* x, std::int64_t count) {
    const OpSpec spec = Add{count};
    const BoundCalls bound = backend.bind(spec, {sum, x});
    backend.run(bound.calls[0]);
  }
};

TEST_F(BackendTransfers, EachStepReadsItsBatchWhateverTheHostDoesNext) {
  for (const Transfers transfers : kAllTransfers) {
    for (const Orders& orders : kAllOrders) {
      control.set_orders(orders);
      const auto backend = make_backend({.transfers = transfers});
      std::vector<float> batch(100), labels(3);
      void* const sum = backend->allocate(400);
      void* const label_sum = backend->allocate(12);
      backend->write(sum, nullptr, 400);
      backend->write(label_sum, nullptr, 12);
      for (int step = 1; step <= 7; ++step) {
        batch.assign(100, static_cast<float>(step));
        labels.assign(3, static_cast<float>(10 * step));
        void* const x = backend->import(0, batch.data(), 400);
        void* const y = backend->import(1, labels.data(), 12);
        batch.assign(100, -1);
        labels.assign(3, -1);
        add(*backend, sum, x, 100);
        add(*backend, label_sum, y, 3);
        if (step % 3 == 0) add(*backend, sum, x, 100);  // in place
      }
      EXPECT_THAT(read(*backend, sum, 100), testing::Each(28 + 9));
      EXPECT_THAT(read(*backend, label_sum, 3), testing::Each(280));
    }
  }
}

TEST_F(BackendTransfers, ASlotsAddressStaysAndOverlappedOnesTakeTurns) {
  for (const Transfers transfers : kAllTransfers) {
    const auto backend = make_backend({.transfers = transfers});
    const std::vector<float> batch(10, 1);
    void* const first = backend->import(0, batch.data(), 40);
    void* const second = backend->import(0, batch.data(), 40);
    EXPECT_EQ(first == second, transfers != Transfers::overlapped);
    EXPECT_EQ(backend->import(0, batch.data(), 40), first);
    EXPECT_NE(backend->import(1, batch.data(), 40), first);
    EXPECT_EQ(backend->import(0, batch.data(), 20), transfers != Transfers::overlapped ? first : second);
  }
}

TEST_F(BackendTransfers, ALargerBatchFindsRoomWhileTheOldOneIsStillToCome) {
  for (const Transfers transfers : kAllTransfers) {
    for (const Orders& orders : kAllOrders) {
      control.set_orders(orders);
      const auto backend = make_backend({.transfers = transfers});
      void* const sum = backend->allocate(4000);
      backend->write(sum, nullptr, 4000);
      for (const std::int64_t count : {10, 1000, 500, 1000}) {
        const std::vector<float> batch(static_cast<std::size_t>(count), 1);
        add(*backend, sum, backend->import(0, batch.data(), 4 * count), count);
      }
      const auto sums = read(*backend, sum, 1000);
      EXPECT_EQ(sums[0], 4);
      EXPECT_EQ(sums[499], 3);
      EXPECT_EQ(sums[999], 2);
    }
  }
}

TEST_F(BackendTransfers, ALargerBatchFindsRoomAfterOneThatFailedOnItsWay) {
  for (const Orders& orders : kAllOrders) {
    control.set_orders(orders);
    const auto backend = make_backend({.transfers = Transfers::overlapped});
    const std::vector<float> batch(1000, 1);
    backend->import(0, batch.data(), 40);
    control.fail_next("cudaEventRecord", cudaErrorInvalidValue, 2);  // when the copy is on its way
    EXPECT_THROW(backend->import(0, batch.data(), 40), DeviceError);
    EXPECT_THAT(read(*backend, backend->import(0, batch.data(), 4000), 1000), testing::Each(1));
  }
}

TEST_F(BackendTransfers, PinnedAndOverlappedCopiesMakeTheHostWaitOnlyForTheLastButOne) {
  for (const Transfers transfers : {Transfers::pinned, Transfers::overlapped}) {
    control.set_orders({StreamOrder::early, ThreadOrder::forward, 1});
    const auto backend = make_backend({.transfers = transfers});
    const std::vector<float> batch(10, 1);
    backend->import(0, batch.data(), 40);
    const Counters before = control.counters();
    for (int i = 0; i < 5; ++i) backend->import(0, batch.data(), 40);
    const Counters after = control.counters();
    EXPECT_EQ(after.synchronizations, before.synchronizations);
    EXPECT_EQ(after.allocations, before.allocations);
    EXPECT_EQ(after.copies_to_device, before.copies_to_device + 5);
    EXPECT_EQ(after.bytes_to_device, before.bytes_to_device + 200);
  }
}

constexpr std::int64_t kPart = std::int64_t{1} << 20;  // bytes of a batch that go at once

TEST_F(BackendTransfers, ALargeBatchGoesInPartsAndASmallOneAtOnce) {
  for (const Transfers transfers : {Transfers::pinned, Transfers::overlapped}) {
    control.set_orders({StreamOrder::early, ThreadOrder::forward, 1});
    const auto backend = make_backend({.transfers = transfers});
    const std::vector<char> batch(2 * kPart + 1, 1);
    for (const auto& [bytes, parts] : {std::pair(kPart, 1), {kPart + 1, 2}, {2 * kPart, 2}, {2 * kPart + 1, 3}}) {
      const Counters before = control.counters();
      backend->import(0, batch.data(), bytes);
      const Counters after = control.counters();
      EXPECT_EQ(after.copies_to_device - before.copies_to_device, parts) << bytes;
      EXPECT_EQ(after.bytes_to_device - before.bytes_to_device, bytes);
      EXPECT_EQ(after.synchronizations, before.synchronizations);
    }
  }
}

TEST_F(BackendTransfers, EachPartOfALargeBatchArrivesWhateverTheHostDoesNext) {
  constexpr std::int64_t kCount = 2 * kPart / std::int64_t{sizeof(float)} + 1;
  for (const Transfers transfers : kAllTransfers) {
    for (const Orders& orders : kAllOrders) {
      control.set_orders(orders);
      const auto backend = make_backend({.transfers = transfers});
      void* const sum = backend->allocate(4 * kCount);
      backend->write(sum, nullptr, 4 * kCount);
      std::vector<float> batch(kCount), expected(kCount);
      for (std::size_t step = 1; step <= 4; ++step) {
        for (std::size_t i = 0; i < batch.size(); ++i) expected[i] += batch[i] = static_cast<float>(i % 9973 * step);
        void* const x = backend->import(0, batch.data(), 4 * kCount);
        batch.assign(kCount, -1);
        add(*backend, sum, x, kCount);
      }
      EXPECT_EQ(read(*backend, sum, kCount), expected);
      if (orders.streams == StreamOrder::random) break;  // one of them: it is much memory
    }
  }
}

TEST_F(BackendTransfers, WritesOfAnySizeArriveInOrder) {
  for (const Orders& orders : kAllOrders) {
    control.set_orders(orders);
    const auto backend = make_backend({});
    constexpr std::int64_t kCount = 3'000'000;  // 12 MB: several pieces
    std::vector<float> values(kCount);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 9973);
    void* const memory = backend->allocate(4 * kCount);
    backend->write(memory, values.data(), 4 * kCount);
    const std::vector<float> expected = values;
    std::fill(values.begin(), values.end(), -1.0F);
    const float three = 3;
    backend->write(static_cast<float*>(memory) + 7, &three, 4);
    backend->write(static_cast<float*>(memory) + 8, nullptr, 8);
    auto found = read(*backend, memory, kCount);
    EXPECT_EQ(found[7], 3);
    EXPECT_EQ(found[8], 0);
    EXPECT_EQ(found[9], 0);
    std::copy_n(expected.begin() + 7, 3, found.begin() + 7);
    EXPECT_EQ(found, expected);
    if (orders.streams == StreamOrder::random) break;  // one of them: it is much memory
  }
}

TEST_F(BackendTransfers, AViewIsRenewedInPlaceAndOthersStayBesideIt) {
  const auto backend = make_backend({});
  void* const a = backend->allocate(40);
  void* const b = backend->allocate(40);
  const std::vector<float> ones(10, 1), twos(10, 2);
  backend->write(a, ones.data(), 40);
  backend->write(b, twos.data(), 40);
  const auto* const view_a = static_cast<const float*>(backend->host_view(a, 40));
  const auto* const view_b = static_cast<const float*>(backend->host_view(b, 40));
  EXPECT_EQ(view_a[9], 1);
  EXPECT_EQ(view_b[9], 2);
  backend->write(a, twos.data(), 40);
  EXPECT_EQ(view_a[9], 1) << "a copy";
  EXPECT_EQ(backend->host_view(a, 40), view_a);
  EXPECT_EQ(view_a[9], 2);
  EXPECT_EQ(static_cast<const float*>(backend->host_view(a, 4))[0], 2);
}

TEST_F(BackendTransfers, ManyLargeViewsDoNotPileUp) {
  const auto backend = make_backend({});
  for (int i = 0; i < 12; ++i) {
    void* const memory = backend->allocate(std::int64_t{16} << 20);
    backend->host_view(memory, std::int64_t{16} << 20);
    EXPECT_LE(control.counters().live_host_allocations, 5);
  }
}

}  // namespace
}  // namespace regatta::engine::cuda
