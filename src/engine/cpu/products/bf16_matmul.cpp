// Matrix products in bf16. Units of the product: blocks of rows, or panels where those are more.
#include "engine/cpu/products/bf16_calls.hpp"

namespace regatta::engine::cpu {

namespace {

constexpr std::int64_t kRows = 32;  // rows in a unit

std::int64_t depth(const MatMul& op) { return round_up(op.k, kBf16Depth); }
std::int64_t row_units(const MatMul& op) { return divide_up(op.m, kRows); }
std::int64_t panels(const MatMul& op) { return divide_up(op.n, kBf16Panel); }

Bf16Scratch scratch_of(const MatMul& op) { return bf16_scratch(op.m * depth(op), panels(op) * bf16_panel_size(op.k)); }

void round_rows(const Call& call, const MatMul& op, std::int64_t unit) {
  const std::int64_t row = unit * kRows, rows = std::min(kRows, op.m - row);
  Bf16* const to = rounded(call) + row * depth(op);
  if (op.transpose_a) {
    bf16_of(call).copy_transposed({in(call, 0) + row, op.m, op.k, rows, to, depth(op), depth(op)});
  } else {
    bf16_of(call).copy({in(call, 0) + row * op.k, op.k, rows, op.k, to, depth(op), depth(op)});
  }
}

void launch_round(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<MatMul>(call);
  run_both(
      begin, end, row_units(op), [&](std::int64_t unit) { round_rows(call, op, unit); },
      [&](std::int64_t first, std::int64_t last) {
        bf16_of(call).pack({.b = in(call, 1),
                            .k = op.k,
                            .n = op.n,
                            .row_stride = op.transpose_b ? 1 : op.n,
                            .column_stride = op.transpose_b ? op.k : 1,
                            .first_panel = first,
                            .end_panel = last,
                            .panels = rounded(call) + scratch_of(op).a,
                            .panel_size = bf16_panel_size(op.k)});
      });
}

bool by_rows(const MatMul& op) { return row_units(op) >= panels(op); }

void launch_product(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<MatMul>(call);
  if (begin == 0 && op.sum_columns) kernels_of(call).column_sum(in(call, 1), op.k, op.n, 0, op.n, out(call, 5));
  const std::int64_t row = by_rows(op) ? begin * kRows : 0;
  const std::int64_t column = by_rows(op) ? 0 : begin * kBf16Panel;
  const std::int64_t at = row * op.n + column;
  bf16_of(call).gemm({.m = by_rows(op) ? std::min(op.m, end * kRows) - row : op.m,
                      .n = by_rows(op) ? op.n : std::min(op.n, end * kBf16Panel) - column,
                      .k = depth(op),
                      .a = rounded(call) + row * depth(op),
                      .a_row = depth(op),
                      .b = rounded(call) + scratch_of(op).a + column / kBf16Panel * bf16_panel_size(op.k),
                      .b_panel = bf16_panel_size(op.k),
                      .c = out(call, 2) + at,
                      .c_row = op.n,
                      .bias = op.add_bias ? in(call, 3) + column : nullptr,
                      .activation = op.activation,
                      .saved = op.derivative != Activation::none ? in(call, 4) + at : nullptr,
                      .derivative = op.derivative,
                      .add_to_c = op.add_to_c});
}

}  // namespace

std::int64_t bf16_scratch_bytes(const MatMul& op) { return scratch_of(op).bytes(); }

BoundCalls bind_bf16(const Target& target, const MatMul& op, const Memory& memory) {
  BoundCalls bound;
  bound.count = 2;
  bound.calls[0] = make_call(target, op, memory, launch_round);
  bound.calls[1] = make_call(target, op, memory, launch_product);
  split(target, bound.calls[0], row_units(op) + panels(op), static_cast<double>(4 * op.k * kRows));
  const std::int64_t units = std::max(row_units(op), panels(op));
  const double work = 2.0 * static_cast<double>(op.m * op.n) * static_cast<double>(op.k);
  split(target, bound.calls[1], units, work / kBf16Speed / static_cast<double>(units));
  return bound;
}

}  // namespace regatta::engine::cpu
