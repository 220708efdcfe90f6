// Recurrent layers, position by position: a product with the recurrent kernel, then a kernel for the gates.
#include "engine/cuda/products/operations.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr std::int64_t kFloat = sizeof(float);

/// The position that comes at `number`, counted from the first one computed.
std::int64_t position_at(const LstmShape& s, std::int64_t number) { return s.reverse ? s.length - 1 - number : number; }

void refuse_bf16(const ProductTools& tools) {
  if (tools.precision != Precision::bf16) return;
  throw InputError("precision bf16 is not there for recurrent layers on device cuda; take fp32 or tf32");
}

/// gates of a position (batch, 4 units) += states of another one (batch, units) times recurrent (units, 4 units).
Product gates_product(const ProductTools& tools, const LstmShape& s) {
  const std::int64_t alignment =
      common_alignment({s.row * kFloat, s.length * s.row * kFloat, s.offset * kFloat, 4 * s.units * kFloat});
  return {.m = s.batch,
          .n = 4 * s.units,
          .k = s.units,
          .transpose_a = false,
          .transpose_b = false,
          .row_a = s.length * s.row,
          .row_b = 4 * s.units,
          .row_c = s.length * 4 * s.units,
          .precision = tools.precision,
          .add_to_c = true,
          .alignment = alignment};
}

/// Gradient of the states before (batch, units) = gradient of the gates of a position times recurrent'.
Product states_product(const ProductTools& tools, const LstmShape& s) {
  return {.m = s.batch,
          .n = s.units,
          .k = 4 * s.units,
          .transpose_a = false,
          .transpose_b = true,
          .row_a = s.length * 4 * s.units,
          .row_b = 4 * s.units,
          .row_c = s.units,
          .precision = tools.precision,
          .add_to_c = false,
          .alignment = common_alignment({4 * s.units * kFloat})};
}

/// Gradient of the recurrent kernel = all states before (batch * length, units)' times the gradients of all gates.
Product recurrent_product(const ProductTools& tools, const LstmShape& s) {
  return dense_product(s.units, 4 * s.units, s.batch * s.length, true, false, tools.precision);
}

struct Lstms {
  static std::int64_t prepare(const ProductTools& tools, const Lstm& op) {
    refuse_bf16(tools);
    if (op.shape.length > 1) tools.products.prepare(gates_product(tools, op.shape));
    return 0;
  }

  static std::int64_t prepare(const ProductTools& tools, const LstmGradient& op) {
    refuse_bf16(tools);
    if (op.shape.length > 1) tools.products.prepare(states_product(tools, op.shape));
    return 2 * op.shape.batch * op.shape.units * kFloat;
  }

  static std::int64_t prepare(const ProductTools& tools, const LstmRecurrentGradient& op) {
    refuse_bf16(tools);
    tools.products.prepare(recurrent_product(tools, op.shape));
    return op.shape.cells_size() * kFloat;
  }

  static std::int64_t prepare(const ProductTools& /*tools*/, const LstmLast& /*op*/) { return 0; }

  static void issue(const ProductTools& tools, const Target& target, const Lstm& op, const Memory& memory) {
    const LstmShape& s = op.shape;
    for (std::int64_t number = 0; number < s.length; ++number) {
      const std::int64_t position = position_at(s, number);
      const std::int64_t before = number > 0 ? position_at(s, number - 1) : -1;
      if (before >= 0) {
        tools.products.run(target, gates_product(tools, s), in(memory, 2) + before * s.row + s.offset, memory[1],
                           out(memory, 0) + position * 4 * s.units);
      }
      lstm_gates(target, op, out(memory, 0), out(memory, 2), out(memory, 3), position, before);
    }
  }

  static void issue(const ProductTools& tools, const Target& target, const LstmGradient& op, const Memory& memory) {
    const LstmShape& s = op.shape;
    float* const carry = out(memory, kScratch);
    for (std::int64_t number = s.length - 1; number >= 0; --number) {
      const std::int64_t position = position_at(s, number);
      const std::int64_t before = number > 0 ? position_at(s, number - 1) : -1;
      lstm_gates_gradient(target, op, in(memory, 0), out(memory, 1), in(memory, 3), carry, position, before,
                          number == s.length - 1);
      if (before < 0) continue;
      tools.products.run(target, states_product(tools, s), out(memory, 1) + position * 4 * s.units, memory[2], carry);
    }
  }

  static void issue(const ProductTools& tools, const Target& target, const LstmRecurrentGradient& op,
                    const Memory& memory) {
    const LstmShape& s = op.shape;
    states_before(target, s, in(memory, 0), out(memory, kScratch));
    tools.products.run(target, recurrent_product(tools, s), memory[kScratch], memory[1], out(memory, 2));
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
