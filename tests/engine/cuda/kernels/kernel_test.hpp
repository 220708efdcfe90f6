// Runs own kernels in the emulator, in four orders of threads, and compares with the reference. Operands lie between
// pages that nobody may touch: in two orders they begin behind one and are aligned as a session's, with numbers behind
// them that must stay; in two they end in front of one.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/cuda/kernels/issue.hpp"
#include "engine/cuda/kernels/parts.hpp"
#include "engine/kernel_comparison.hpp"
#include "support/cuda/control.hpp"

namespace regatta::engine::cuda {

using cuda_fakes::ThreadOrder;

enum class Layout { aligned, ends_at_a_page };

/// One way to run a kernel.
struct Way {
  const char* name;
  ThreadOrder threads;
  std::uint64_t seed;
  Layout layout;
};

inline constexpr std::array<Way, 4> kWays = {{{"forward", ThreadOrder::forward, 1, Layout::aligned},
                                              {"reverse", ThreadOrder::reverse, 1, Layout::ends_at_a_page},
                                              {"random 1", ThreadOrder::random, 1, Layout::aligned},
                                              {"random 2", ThreadOrder::random, 2, Layout::ends_at_a_page}}};

/// Floats between two forbidden pages.
class Operand {
 public:
  Operand(const std::vector<float>& values, Layout layout) : count_(values.size()) {
    const std::size_t bytes = divided_up(count_ * sizeof(float), kPage) * kPage + kPage;  // some room behind them
    bytes_ = bytes + 2 * kPage;
    void* const memory = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<char*>(memory);
    mprotect(begin_ + kPage, bytes, PROT_READ | PROT_WRITE);
    auto* const first = reinterpret_cast<float*>(begin_ + kPage);
    room_ = {first, bytes / sizeof(float)};
    std::fill(room_.begin(), room_.end(), kBeside);
    data_ = layout == Layout::aligned ? first : first + room_.size() - count_;
    std::copy(values.begin(), values.end(), data_);
  }
  ~Operand() { munmap(begin_, bytes_); }
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;

  [[nodiscard]] float* data() const { return data_; }
  [[nodiscard]] std::vector<float> values() const { return {data_, data_ + count_}; }
  [[nodiscard]] bool is_room_untouched() const {
    for (const float& value : room_) {
      const bool is_beside = &value < data_ || &value >= data_ + count_;
      if (is_beside && value != kBeside) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kPage = 4096;
  static constexpr float kBeside = 1234567.0F;  ///< read by mistake, it spoils every result
  static std::size_t divided_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

  std::size_t count_, bytes_ = 0;
  char* begin_ = nullptr;
  float* data_ = nullptr;
  std::span<float> room_;
};

/// The work of a test: issues kernels on these operands.
using Work = std::function<void(const Target&, const Memory&)>;

inline const cuda_fakes::Control& control() { return *regatta_cuda_emulator(); }

inline const IssueTable& issue_table() {
  static const IssueTable table = [] {
    IssueTable all{};
    for (const auto enter_family : {enter_elementwise, enter_losses, enter_sums, enter_pools, enter_normalization,
                                    enter_dropout, enter_embedding, enter_updates}) {
      enter_family(all);
    }
    return all;
  }();
  return table;
}

/// The operation's kernels. `spec` outlives it.
inline Work work_of(const OpSpec& spec) {
  return [&spec](const Target& target, const Memory& memory) {
    const void* const op = std::visit([](const auto& held) -> const void* { return &held; }, spec);
    issue_table().at(spec.index())(target, op, memory);
  };
}

/// A stream, a workspace full of NaN, counters that must be zeros again.
class Device {
 public:
  Device() : workspace_(std::size_t{1} << 18), counters_(kCounters) {
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
  }
  ~Device() { cudaStreamDestroy(stream_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  void run(const Way& way, const Work& work, const Memory& memory) {
    control().set_orders({.streams = cuda_fakes::StreamOrder::late, .threads = way.threads, .seed = way.seed});
    std::fill(workspace_.begin(), workspace_.end(), std::numeric_limits<float>::quiet_NaN());
    const Target target{stream_, workspace_.data(), static_cast<std::int64_t>(workspace_.size() * sizeof(float)),
                        counters_.data(), 1};
    work(target, memory);
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    EXPECT_EQ(control().complaints(), 0) << control().complaint(0);
    EXPECT_EQ(counters_, std::vector<unsigned>(kCounters)) << "who counts puts zeros back";
  }

 private:
  cudaStream_t stream_ = nullptr;
  std::vector<float> workspace_;
  std::vector<unsigned> counters_;
};

/// Runs the work on copies of the operands, one way.
inline Memories run_one_way(const Way& way, const Work& work, const Memories& memories) {
  Device device;
  Memory pointers{};
  std::array<std::unique_ptr<Operand>, kOperands> operands;
  for (std::size_t i = 0; i < kOperands; ++i) {
    if (memories[i].empty()) continue;
    operands[i] = std::make_unique<Operand>(memories[i], way.layout);
    pointers[i] = operands[i]->data();
  }
  device.run(way, work, pointers);
  Memories after;
  for (std::size_t i = 0; i < kOperands; ++i) {
    if (operands[i] == nullptr) continue;
    after[i] = operands[i]->values();
    EXPECT_TRUE(operands[i]->is_room_untouched()) << way.name << ": operand " << i;
  }
  return after;
}

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

/// Runs the work in all ways, which give the same bits: those.
inline Memories run_all_ways(const Work& work, const Memories& memories, const std::string& what) {
  const Memories first = run_one_way(kWays[0], work, memories);
  for (std::size_t way = 1; way < kWays.size(); ++way) {
    const Memories other = run_one_way(kWays[way], work, memories);
    for (std::size_t i = 0; i < kOperands; ++i) {
      EXPECT_TRUE(same_bits(first[i], other[i])) << what << ": operand " << i << " in the order " << kWays[way].name;
    }
  }
  return first;
}

inline void expect_near(const Memories& actual, const Memories& expected, double tolerance, const std::string& what) {
  for (std::size_t operand = 0; operand < kOperands; ++operand) {
    ASSERT_EQ(actual[operand].size(), expected[operand].size());
    for (std::size_t i = 0; i < expected[operand].size(); ++i) {
      const float want = expected[operand][i];
      const float got = actual[operand][i];
      const bool is_same = std::memcmp(&want, &got, sizeof want) == 0 || (std::isnan(want) && std::isnan(got));
      ASSERT_TRUE(is_same || std::abs(want - got) <= tolerance * std::max(1.0F, std::abs(want)))
          << what << ": operand " << operand << '[' << i << "] is " << got << ", the reference has " << want;
    }
  }
}

inline Memories by_the_reference(const OpSpec& spec, Memories memories) {
  const auto backend = engine::cpu::make_backend({.kernels = KernelSet::reference});
  run(*backend, spec, memories);
  return memories;
}

/// The operation in all ways against the reference, on these operands.
inline void compare_on(const OpSpec& spec, const Memories& operands, double tolerance, const std::string& what) {
  const std::string name = std::string(name_of(spec)) + ' ' + what;
  expect_near(run_all_ways(work_of(spec), operands, name), by_the_reference(spec, operands), tolerance, name);
}

/// The same on random operands that `prepare` makes valid.
template <class Prepare>
void compare_kernels(Random& random, const OpSpec& spec, double tolerance, const std::string& what,
                     const Prepare& prepare) {
  Memories operands = random_operands(random, spec);
  prepare(operands);
  compare_on(spec, operands, tolerance, what);
}

inline void compare_kernels(Random& random, const OpSpec& spec, double tolerance, const std::string& what) {
  compare_kernels(random, spec, tolerance, what, [](Memories&) {});
}

/// Own kernels that the work launches.
inline std::int64_t launches_of(const Work& work, const Memories& memories) {
  const std::int64_t before = control().counters().kernels;
  run_one_way(kWays[0], work, memories);
  return control().counters().kernels - before;
}

/// Sizes at which a warp, a pack of four, a block or a grid ends.
inline constexpr std::array<std::int64_t, 9> kSizes = {1, 3, 4, 31, 32, 33, 127, 260, 1025};

inline constexpr std::array<Activation, 4> kActivations = {Activation::none, Activation::relu, Activation::sigmoid,
                                                           Activation::tanh};

}  // namespace regatta::engine::cuda
