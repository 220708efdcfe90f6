// The gates of recurrent layers, with products by plain loops between them, against the reference.
#include "engine/cuda/kernels/kernel_test.hpp"
#include "support/cuda/emulator/options.hpp"

namespace regatta::engine::cuda {
namespace {

const float* in(const Memory& memory, std::size_t operand) { return static_cast<const float*>(memory[operand]); }
float* out(const Memory& memory, std::size_t operand) { return static_cast<float*>(memory[operand]); }

std::string text_of(const LstmShape& s) { return text({s.batch, s.length, s.units, s.row, s.offset, s.reverse}); }

LstmShape random_recurrence(Random& random, int i) {
  LstmShape s{};
  s.batch = uniform(random, 1, i % 3 == 0 ? 20 : 4);
  s.length = uniform(random, 1, 5);
  s.units = i % 5 == 0 ? uniform(random, 30, 70) : uniform(random, 1, 12);
  const bool both = uniform(random, 0, 1) == 1;
  s.reverse = uniform(random, 0, 1) == 1;
  s.row = both ? 2 * s.units : s.units;
  s.offset = both && s.reverse ? s.units : 0;
  return s;
}

/// The place of the position that is computed as number `number`; -1 before the first.
std::int64_t position_of(const LstmShape& s, std::int64_t number) {
  if (number < 0) return -1;
  return s.reverse ? s.length - 1 - number : number;
}

/// gates += states before, times the recurrent kernel.
void add_states(const LstmShape& s, const Memory& memory, std::int64_t position, std::int64_t before) {
  for (std::int64_t sample = 0; sample < s.batch; ++sample) {
    const float* const states = in(memory, 2) + (sample * s.length + before) * s.row + s.offset;
    float* const gates = out(memory, 0) + (sample * s.length + position) * 4 * s.units;
    for (std::int64_t column = 0; column < 4 * s.units; ++column) {
      double sum = gates[column];
      for (std::int64_t unit = 0; unit < s.units; ++unit) {
        sum += static_cast<double>(states[unit]) * in(memory, 1)[unit * 4 * s.units + column];
      }
      gates[column] = static_cast<float>(sum);
    }
  }
}

/// The carried gradient of states = gradients of the gates, times the recurrent kernel transposed.
void carry_states(const LstmShape& s, const Memory& memory, std::int64_t position) {
  for (std::int64_t sample = 0; sample < s.batch; ++sample) {
    const float* const gates = in(memory, 1) + (sample * s.length + position) * 4 * s.units;
    for (std::int64_t unit = 0; unit < s.units; ++unit) {
      double sum = 0;
      for (std::int64_t column = 0; column < 4 * s.units; ++column) {
        sum += static_cast<double>(gates[column]) * in(memory, 2)[unit * 4 * s.units + column];
      }
      out(memory, 5)[sample * s.units + unit] = static_cast<float>(sum);
    }
  }
}

Work forward(const Lstm& op) {
  return [&op](const Target& target, const Memory& memory) {
    for (std::int64_t number = 0; number < op.shape.length; ++number) {
      const std::int64_t position = position_of(op.shape, number), before = position_of(op.shape, number - 1);
      if (number > 0) add_states(op.shape, memory, position, before);
      lstm_gates(target, op, {out(memory, 0), out(memory, 2), out(memory, 3), nullptr}, position, before);
      EXPECT_EQ(cudaStreamSynchronize(target.stream), cudaSuccess);
    }
  };
}

/// Operand 5: what is carried.
Work backward(const LstmGradient& op) {
  return [&op](const Target& target, const Memory& memory) {
    for (std::int64_t number = op.shape.length - 1; number >= 0; --number) {
      const std::int64_t position = position_of(op.shape, number), before = position_of(op.shape, number - 1);
      const bool is_first = number == op.shape.length - 1;
      lstm_gates_gradient(target, op, {in(memory, 0), out(memory, 1), in(memory, 3), out(memory, 5), nullptr}, position,
                          before, is_first);
      EXPECT_EQ(cudaStreamSynchronize(target.stream), cudaSuccess);
      carry_states(op.shape, memory, position);
    }
  };
}

/// So that long sums stay near 1.
void scale(std::vector<float>& recurrent, const LstmShape& s) {
  for (float& weight : recurrent) weight /= std::sqrt(static_cast<float>(s.units));
}

TEST(CudaLstm, PositionsAgreeWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 20; ++i) {
    const Lstm op{random_recurrence(random, i), static_cast<Activation>(i % 4)};
    Memories operands = random_operands(random, op);
    scale(operands[1], op.shape);
    const std::string what = text_of(op.shape);
    expect_near(run_all_ways(forward(op), operands, what), by_the_reference(op, operands),
                10 * sum_tolerance(op.shape.units), what);
  }
}

TEST(CudaLstm, GradientsOfGatesAgreeWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 20; ++i) {
    const LstmGradient op{random_recurrence(random, i), static_cast<Activation>(i % 4), i % 2 == 0};
    const LstmShape& s = op.shape;
    Memories operands = random_operands(random, op);
    scale(operands[2], s);
    const Memories expected = by_the_reference(op, operands);
    operands[5].assign(static_cast<std::size_t>(2 * s.batch * s.units), std::numeric_limits<float>::quiet_NaN());
    const std::string what = text_of(s);
    Memories actual = run_all_ways(backward(op), operands, what);
    actual[5].clear();
    expect_near(actual, expected, 10 * sum_tolerance(4 * s.units), what);
  }
}

TEST(CudaLstm, StatesBeforeAreShiftedByOnePosition) {
  Random random(test_seed());
  for (int i = 0; i < 20; ++i) {
    const LstmShape s = random_recurrence(random, i);
    const std::vector<float> states = uniform_floats(random, s.states_size());
    std::vector<float> expected(static_cast<std::size_t>(s.cells_size()));
    for (std::size_t at = 0; at < expected.size(); ++at) {
      const std::int64_t unit = static_cast<std::int64_t>(at) % s.units;
      const std::int64_t place = static_cast<std::int64_t>(at) / s.units;
      const std::int64_t before = place % s.length + (s.reverse ? 1 : -1);
      if (before < 0 || before >= s.length) continue;
      const std::int64_t from = (place / s.length * s.length + before) * s.row + s.offset + unit;
      expected[at] = states[static_cast<std::size_t>(from)];
    }
    const Work shift = [&](const Target& target, const Memory& memory) {
      states_before(target, s, in(memory, 0), out(memory, 1));
    };
    const Memories start{states, uniform_floats(random, s.cells_size())};
    EXPECT_TRUE(same_bits(run_all_ways(shift, start, text_of(s))[1], expected)) << text_of(s);
  }
}

TEST(CudaLstm, TheLastStatesAreThoseOfThePositionThatComesLast) {
  Random random(test_seed());
  for (int i = 0; i < 20; ++i) {
    const LstmLast op{random_recurrence(random, i)};
    const Work last = [&](const Target& target, const Memory& memory) {
      lstm_last(target, op, in(memory, 0), out(memory, 1));
    };
    const Memories operands = random_operands(random, op);
    expect_near(run_all_ways(last, operands, text_of(op.shape)), by_the_reference(op, operands), 0, text_of(op.shape));
  }
}

TEST(CudaLstm, StatesAreReadFourAtOnceWhereTheirRowsKeepFours) {
  Random random(test_seed());
  const auto threads = [&](std::int64_t row, std::int64_t offset) {
    const LstmLast op{{.batch = 32, .length = 1, .units = 32, .row = row, .offset = offset, .reverse = false}};
    const std::uint64_t before = emulator::counts().threads;
    const Work last = [&](const Target& target, const Memory& memory) {
      lstm_last(target, op, in(memory, 0), out(memory, 1));
    };
    run_one_way(kWays[0], last, random_operands(random, op));
    return emulator::counts().threads - before;
  };
  EXPECT_EQ(threads(64, 32), 256U) << "eight for each sample";
  EXPECT_EQ(threads(65, 32), 1024U);
  EXPECT_EQ(threads(64, 31), 1024U);
}

}  // namespace
}  // namespace regatta::engine::cuda
