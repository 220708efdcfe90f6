// A graph step allocates nothing: counted by replacing operator new in this test program.
#include <atomic>
#include <cstdlib>
#include <new>

#include "engine/support.hpp"

namespace {
std::atomic<std::uint64_t> allocations{0};  // count for the whole program

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  void* const memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes, 16); }
void* operator new[](std::size_t bytes) { return counted(bytes, 16); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace regatta::engine {
namespace {

std::uint64_t allocations_of_steps(const model::Network& network, Mode mode, TestSettings settings = {}) {
  Random random(1);
  const OwnedBatch batch = random_batch(random, network, 8);
  settings.batch = 8;
  settings.mode = mode;
  const auto session = make_session(network, model::initial_weights(network, 1), settings);
  for (std::int64_t i = 0; i < settings.accumulate; ++i) session->step(batch.view());
  const std::uint64_t before = allocations;
  for (int i = 0; i < 10; ++i) {
    session->set_learning_rate(0.01 * i);
    session->step(batch.view());
  }
  return allocations - before;
}

TEST(Allocation, StepsAllocateNothingOnceWarm) {
  const std::uint64_t before = allocations;
  const std::vector<int> witness(100);
  ASSERT_EQ(allocations, before + 1) << "the counter does not count";
  Random random(test_seed());
  for (int i = 0; i < 10; ++i) {
    const model::Network network = random_network(random);
    EXPECT_EQ(allocations_of_steps(network, Mode::graph), 0U) << describe(network);
    EXPECT_EQ(allocations_of_steps(network, Mode::eager), 0U) << describe(network);  // its allocator reuses
  }
}

TEST(Allocation, StepsAllocateNothingWithAnySettingOfTheUpdate) {
  Random random(test_seed());
  for (int i = 0; i < 10; ++i) {
    const model::Network network = random_network(random);
    for (const Mode mode : {Mode::graph, Mode::eager}) {
      TestSettings settings;
      settings.weight_decay = 0.1;
      settings.clip_norm = 0.1;
      settings.accumulate = 1 + i % 3;
      EXPECT_EQ(allocations_of_steps(network, mode, settings), 0U) << describe(network);
      settings.work = Work::evaluate;
      EXPECT_EQ(allocations_of_steps(network, mode, settings), 0U) << describe(network);
    }
  }
}

}  // namespace
}  // namespace regatta::engine
