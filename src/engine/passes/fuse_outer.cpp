#include <algorithm>
#include <optional>

#include "engine/passes/passes.hpp"

namespace regatta::engine {

namespace {

bool is_plain(const MatMul& op) { return !op.add_bias && op.activation == Activation::none && !op.outer_b; }

bool is_outer_product(const MatMul& op) {
  return op.k == 1 && is_plain(op) && !op.sum_columns && !op.add_to_c &&
         (op.derivative == Activation::none || op.derivative == Activation::relu);
}

bool is_weight_gradient(const MatMul& op) {
  return op.transpose_a && !op.transpose_b && is_plain(op) && op.derivative == Activation::none;
}

/// How many operations touch a buffer.
std::ptrdiff_t users_of(const std::vector<Op>& ops, BufferIndex buffer) {
  return std::count_if(ops.begin(), ops.end(), [&](const Op& op) {
    return std::find(op.operands.begin(), op.operands.end(), buffer) != op.operands.end();
  });
}

/// `first` and `second` as one, if the one makes nothing but the other's b.
std::optional<Op> both(const Op& first, const Op& second, const std::vector<Op>& ops,
                       const std::vector<BufferSpec>& buffers) {
  const auto* outer = std::get_if<MatMul>(&first.spec);
  const auto* product = std::get_if<MatMul>(&second.spec);
  if (outer == nullptr || product == nullptr || !is_outer_product(*outer) || !is_weight_gradient(*product)) return {};
  const BufferIndex b = first.operands[2];
  if (second.operands[1] != b || second.operands[0] == b) return {};
  if (buffers[static_cast<std::size_t>(b)].role != Role::temporary || users_of(ops, b) > 2) return {};
  MatMul fused = *product;
  fused.outer_b = true;
  fused.derivative = outer->derivative;
  Op op{fused, second.operands};
  op.operands[1] = first.operands[0];
  op.operands[3] = first.operands[1];
  op.operands[4] = first.operands[4];
  return op;
}

}  // namespace

void fuse_outer_products(std::vector<Op>& ops, const std::vector<BufferSpec>& buffers, const PlanHints& hints) {
  for (std::size_t i = 0; i + 1 < ops.size(); ++i) {
    const std::optional<Op> fused = both(ops[i], ops[i + 1], ops, buffers);
    if (!fused || std::get<MatMul>(fused->spec).m > hints.outer_b_rows) continue;
    ops[i] = *fused;
    ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

}  // namespace regatta::engine
