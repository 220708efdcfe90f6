// Recurrent layers, position by position: a product with the recurrent kernel, then a kernel for the gates.
#include "engine/cuda/products/operations.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr std::int64_t kFloat = sizeof(float);

/// The position that comes at `number`, counted from the first one computed.
std::int64_t position_at(const LstmShape& s, std::int64_t number) { return s.reverse ? s.length - 1 - number : number; }

bool is_rounded(const ProductTools& tools) { return tools.precision == Precision::bf16; }

/// gates of a position (batch, 4 units) += states of another one (batch, units) times recurrent (units, 4 units). With
/// bf16 the states are rounded ones of that position alone.
Product gates_product(const ProductTools& tools, const LstmShape& s) {
  const std::int64_t of_gates = 4 * s.units * kFloat;
  const std::int64_t alignment =
      is_rounded(tools) ? common_alignment({of_gates})
                        : common_alignment({s.row * kFloat, s.length * s.row * kFloat, s.offset * kFloat, of_gates});
  return {.m = s.batch,
          .n = 4 * s.units,
          .k = s.units,
          .transpose_a = false,
          .transpose_b = false,
          .row_a = is_rounded(tools) ? s.units : s.length * s.row,
          .row_b = 4 * s.units,
          .row_c = s.length * 4 * s.units,
          .precision = tools.precision,
          .add_to_c = true,
          .alignment = alignment};
}

/// Gradient of the states before (batch, units) = gradient of the gates of a position times recurrent'. With bf16 the
/// gradients are rounded ones of that position alone.
Product states_product(const ProductTools& tools, const LstmShape& s) {
  return {.m = s.batch,
          .n = s.units,
          .k = 4 * s.units,
          .transpose_a = false,
          .transpose_b = true,
          .row_a = (is_rounded(tools) ? 1 : s.length) * 4 * s.units,
          .row_b = 4 * s.units,
          .row_c = s.units,
          .precision = tools.precision,
          .add_to_c = false,
          .alignment = is_rounded(tools) ? kAlignment : common_alignment({4 * s.units * kFloat})};
}

/// Gradient of the recurrent kernel = all states before (batch * length, units)' times the gradients of all gates.
Product recurrent_product(const ProductTools& tools, const LstmShape& s) {
  return dense_product(s.units, 4 * s.units, s.batch * s.length, true, false, tools.precision);
}

/// Scratch memory; rounded copies are there with bf16 alone.
struct StepMemory {
  float* carry = nullptr;  ///< LstmGradient has one
  Bf16* recurrent = nullptr;
  Bf16* position = nullptr;  ///< the operand that a position has for the next product
};

StepMemory step_memory(const ProductTools& tools, const LstmShape& s, Pieces& pieces, bool is_gradient) {
  StepMemory memory;
  if (is_gradient) memory.carry = pieces.take<float>(2 * s.batch * s.units);
  if (!is_rounded(tools) || s.length == 1) return memory;
  memory.recurrent = pieces.take<Bf16>(4 * s.units * s.units);
  memory.position = pieces.take<Bf16>(s.batch * (is_gradient ? 4 : 1) * s.units);
  return memory;
}

/// The recurrent kernel as products read it.
const void* recurrent_of(const Target& target, const LstmShape& s, const float* kernel, const StepMemory& scratch) {
  if (scratch.recurrent == nullptr) return kernel;
  round_to_bf16(target, kernel, scratch.recurrent, 4 * s.units * s.units);
  return scratch.recurrent;
}

/// All states before and the gradients of all gates, of LstmRecurrentGradient.
struct AllMemory {
  float* states = nullptr;
  Bf16 *rounded_states = nullptr, *rounded_gates = nullptr;
};

AllMemory all_memory(const ProductTools& tools, const LstmShape& s, Pieces& pieces) {
  AllMemory memory{.states = pieces.take<float>(s.cells_size())};
  if (!is_rounded(tools)) return memory;
  memory.rounded_states = pieces.take<Bf16>(s.cells_size());
  memory.rounded_gates = pieces.take<Bf16>(4 * s.cells_size());
  return memory;
}

struct Lstms {
  static std::int64_t prepare(const ProductTools& tools, const Lstm& op) {
    if (op.shape.length > 1) tools.products.prepare(gates_product(tools, op.shape));
    Pieces pieces(nullptr);
    step_memory(tools, op.shape, pieces, false);
    return pieces.bytes();
  }

  static std::int64_t prepare(const ProductTools& tools, const LstmGradient& op) {
    if (op.shape.length > 1) tools.products.prepare(states_product(tools, op.shape));
    Pieces pieces(nullptr);
    step_memory(tools, op.shape, pieces, true);
    return pieces.bytes();
  }

  static std::int64_t prepare(const ProductTools& tools, const LstmRecurrentGradient& op) {
    tools.products.prepare(recurrent_product(tools, op.shape));
    Pieces pieces(nullptr);
    all_memory(tools, op.shape, pieces);
    return pieces.bytes();
  }

  static std::int64_t prepare(const ProductTools& /*tools*/, const LstmLast& /*op*/) { return 0; }

  static void issue(const ProductTools& tools, const Target& target, const Lstm& op, const Memory& memory) {
    const LstmShape& s = op.shape;
    Pieces pieces(memory[kScratch]);
    const StepMemory scratch = step_memory(tools, s, pieces, false);
    const void* const recurrent = recurrent_of(target, s, in(memory, 1), scratch);
    for (std::int64_t number = 0; number < s.length; ++number) {
      const std::int64_t position = position_at(s, number);
      const std::int64_t before = number > 0 ? position_at(s, number - 1) : -1;
      if (before >= 0) {
        const void* states = scratch.position;
        if (states == nullptr) states = in(memory, 2) + before * s.row + s.offset;
        tools.products.run(target, gates_product(tools, s), states, recurrent, out(memory, 0) + position * 4 * s.units);
      }
      lstm_gates(target, op, {out(memory, 0), out(memory, 2), out(memory, 3), scratch.position}, position, before);
    }
  }

  static void issue(const ProductTools& tools, const Target& target, const LstmGradient& op, const Memory& memory) {
    const LstmShape& s = op.shape;
    Pieces pieces(memory[kScratch]);
    const StepMemory scratch = step_memory(tools, s, pieces, true);
    const void* const recurrent = recurrent_of(target, s, in(memory, 2), scratch);
    for (std::int64_t number = s.length - 1; number >= 0; --number) {
      const std::int64_t position = position_at(s, number);
      const std::int64_t before = number > 0 ? position_at(s, number - 1) : -1;
      lstm_gates_gradient(target, op, {in(memory, 0), out(memory, 1), in(memory, 3), scratch.carry, scratch.position},
                          position, before, number == s.length - 1);
      if (before < 0) continue;
      const void* gates = scratch.position;
      if (gates == nullptr) gates = out(memory, 1) + position * 4 * s.units;
      tools.products.run(target, states_product(tools, s), gates, recurrent, scratch.carry);
    }
  }

  static void issue(const ProductTools& tools, const Target& target, const LstmRecurrentGradient& op,
                    const Memory& memory) {
    const LstmShape& s = op.shape;
    Pieces pieces(memory[kScratch]);
    const AllMemory scratch = all_memory(tools, s, pieces);
    states_before(target, s, in(memory, 0), scratch.states);
    const void *states = scratch.states, *gates = memory[1];
    if (is_rounded(tools)) {
      round_to_bf16(target, scratch.states, scratch.rounded_states, s.cells_size());
      round_to_bf16(target, in(memory, 1), scratch.rounded_gates, 4 * s.cells_size());
      states = scratch.rounded_states;
      gates = scratch.rounded_gates;
    }
    tools.products.run(target, recurrent_product(tools, s), states, gates, out(memory, 2));
    if (op.sum_columns) sum_columns(target, in(memory, 1), out(memory, 5), s.batch * s.length, 4 * s.units);
  }

  static void issue(const ProductTools& /*tools*/, const Target& target, const LstmLast& op, const Memory& memory) {
    lstm_last(target, op, in(memory, 0), out(memory, 1));
  }
};

}  // namespace

void enter_lstm(ProductTable& table) {
  enter_family<Lstms, Lstm, LstmGradient, LstmRecurrentGradient, LstmLast>(table);
}

}  // namespace regatta::engine::cuda
