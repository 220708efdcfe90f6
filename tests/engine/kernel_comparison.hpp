// Runs one operation on the kernels of every instruction set and compares with the reference. Operands end where
// forbidden pages begin.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>

#include "engine/support.hpp"
#include "regatta/engine/cpu_backend.hpp"
#include "regatta/engine/ops.hpp"

namespace regatta::engine {

using Memories = std::array<std::vector<float>, kOperands>;

/// Floats that end where a page begins that nobody may touch: reading or writing beyond them stops the test.
class Fenced {
 public:
  explicit Fenced(std::size_t count) : count_(count) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    bytes_ = (count * sizeof(float) + page - 1) / page * page + page;
    void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<char*>(memory);
    mprotect(begin_ + bytes_ - page, page, PROT_NONE);
    data_ = reinterpret_cast<float*>(begin_ + bytes_ - page) - count;
  }
  ~Fenced() { munmap(begin_, bytes_); }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;

  [[nodiscard]] std::span<float> floats() const { return {data_, count_}; }

 private:
  std::size_t count_, bytes_ = 0;
  char* begin_ = nullptr;
  float* data_ = nullptr;
};

inline Memories random_operands(Random& random, const OpSpec& spec) {
  const auto bytes = operand_bytes(spec);
  Memories memories;
  for (std::size_t i = 0; i < kOperands; ++i) memories[i] = uniform_floats(random, bytes[i] / 4);
  return memories;
}

/// Memory of StepState during this step.
inline std::vector<float> state_at(std::int64_t step) {
  StepState state;
  state.step = step;
  std::vector<float> memory(sizeof state / sizeof(float));
  std::memcpy(memory.data(), &state, sizeof state);
  return memory;
}

/// Makes operands of a BatchNorm valid: no moving variance is below 0, and `step` steps were taken before.
inline void set_moving_moments(Memories& memories, std::int64_t step) {
  for (std::size_t j = memories[5].size() / 2; j < memories[5].size(); ++j) memories[5][j] = std::abs(memories[5][j]);
  if (!memories[6].empty()) memories[6] = state_at(step + 1);
}

inline void run(Backend& backend, const OpSpec& spec, Memories& memories) {
  std::array<void*, kOperands> pointers{};
  std::array<std::unique_ptr<Fenced>, kOperands> fenced;
  for (std::size_t i = 0; i < kOperands; ++i) {
    const std::size_t count =
        i == kScratch ? static_cast<std::size_t>(backend.scratch_bytes(spec)) / 4 : memories[i].size();
    if (count == 0) continue;
    fenced[i] = std::make_unique<Fenced>(count);
    std::copy(memories[i].begin(), memories[i].end(), fenced[i]->floats().begin());
    pointers[i] = fenced[i]->floats().data();
  }
  const BoundCalls bound = backend.bind(spec, pointers);
  for (int i = 0; i < bound.count; ++i) backend.run(bound.calls[static_cast<std::size_t>(i)]);
  for (std::size_t i = 0; i < kScratch; ++i) {
    if (fenced[i] != nullptr) memories[i].assign(fenced[i]->floats().begin(), fenced[i]->floats().end());
  }
}

/// Sums of columns beside a product or a kernel's gradient: each is one chain of additions, which strays twice as far.
inline bool holds_column_sums(const OpSpec& spec, std::size_t operand) {
  const bool has_sums = std::holds_alternative<MatMul>(spec) || std::holds_alternative<Conv1dKernelGradient>(spec) ||
                        std::holds_alternative<Conv2dKernelGradient>(spec);
  return has_sums && operand == 5;
}

/// Expects the same bits from all kernels that have to agree on the operation.
inline void expect_agreement(const OpSpec& spec, const std::string& what, const Memories& operands) {
  const std::vector<Isa> isas = agreeing_isas();
  Memories first = operands;
  run(*cpu::make_backend({.isa = isas.front()}), spec, first);
  for (const Isa isa : isas) {
    Memories other = operands;
    run(*cpu::make_backend({.isa = isa}), spec, other);
    for (std::size_t operand = 0; operand < kOperands; ++operand) {
      const std::size_t bytes = first[operand].size() * sizeof(float);
      ASSERT_TRUE(bytes == 0 || std::memcmp(first[operand].data(), other[operand].data(), bytes) == 0)
          << name_of(spec) << ' ' << what << ": operand " << operand << " has other bits on " << isa_name(isa)
          << " than on " << isa_name(isas.front());
    }
  }
}

/// Runs the operation on all kernels; `prepare` makes operands valid (classes, states).
template <class Prepare>
inline void compare(Random& random, const OpSpec& spec, double tolerance, const std::string& what,
                    const Prepare& prepare) {
  Memories operands = random_operands(random, spec);
  prepare(operands);
  expect_agreement(spec, what, operands);
  Memories expected = operands;
  run(*cpu::make_backend({.kernels = KernelSet::reference}), spec, expected);
  for (const Isa isa : supported_isas()) {
    Memories actual = operands;
    run(*cpu::make_backend({.isa = isa}), spec, actual);
    for (std::size_t operand = 0; operand < kOperands; ++operand) {
      for (std::size_t i = 0; i < expected[operand].size(); ++i) {
        const float want = expected[operand][i];
        const float got = actual[operand][i];
        const bool same_bits = std::memcmp(&want, &got, sizeof want) == 0;  // integers, NaN
        const double allowed = holds_column_sums(spec, operand) ? 2 * tolerance : tolerance;
        ASSERT_TRUE(same_bits || std::abs(want - got) <= allowed * std::max(1.0F, std::abs(want)))
            << name_of(spec) << ' ' << what << " on " << isa_name(isa) << ": operand " << operand << '[' << i << "] is "
            << got << ", the reference has " << want;
      }
    }
  }
}

inline void compare(Random& random, const OpSpec& spec, double tolerance, const std::string& what) {
  compare(random, spec, tolerance, what, [](Memories&) {});
}

inline double sum_tolerance(std::int64_t terms) { return 1e-6 * (1 + std::sqrt(static_cast<double>(terms))); }

inline std::string text(std::initializer_list<std::int64_t> numbers) {
  std::string all;
  for (const std::int64_t number : numbers) all += std::to_string(number) + ' ';
  return all;
}

/// The i-th of some products: few of them are large, and only forward ones have a bias and an activation.
inline MatMul random_product(Random& random, int i) {
  MatMul op{.m = uniform(random, 1, i % 3 == 0 ? 130 : 20),
            .n = uniform(random, 1, i % 5 == 0 ? 200 : 70),
            .k = uniform(random, 1, i % 7 == 0 ? 600 : 60)};
  op.transpose_a = uniform(random, 0, 1) == 1;
  op.transpose_b = uniform(random, 0, 1) == 1;
  if (!op.transpose_a && !op.transpose_b) {
    op.add_bias = uniform(random, 0, 1) == 1;
    op.activation = static_cast<Activation>(uniform(random, 0, 3));
  }
  if (op.transpose_b && !op.transpose_a) op.derivative = static_cast<Activation>(uniform(random, 0, 3));
  op.sum_columns = op.transpose_a && !op.transpose_b;
  return op;
}

/// Output positions and the padding before the input, of what else the shape holds.
inline void set_positions(Conv1dShape& s, bool same) {
  s.positions = same ? (s.length + s.stride - 1) / s.stride : (s.length - s.taps) / s.stride + 1;
  s.pad = same ? (std::max((s.positions - 1) * s.stride + s.taps, s.length) - s.length) / 2 : 0;
}

/// Over inputs of up to `longest` positions.
inline Conv1dShape random_convolution(Random& random, std::int64_t batch, std::int64_t channels, std::int64_t longest) {
  Conv1dShape s{};
  s.batch = batch;
  s.channels = channels;
  s.filters = uniform(random, 1, 70);
  s.stride = uniform(random, 1, 4);
  s.taps = uniform(random, 1, 12);
  const bool same = uniform(random, 0, 1) == 1;
  s.length = uniform(random, same ? 1 : s.taps, longest);
  set_positions(s, same);
  return s;
}

inline std::string text(const Conv1dShape& s) {
  return text({s.batch, s.length, s.channels, s.positions, s.filters, s.taps, s.stride, s.pad});
}

}  // namespace regatta::engine
