#include <algorithm>
#include <optional>

#include "engine/passes/passes.hpp"

namespace regatta::engine {

namespace {

bool is_large(const OpSpec& spec, const PlanHints& hints) {
  if (const auto* sgd = std::get_if<SgdUpdate>(&spec)) return is_large_update(sgd->count, hints);
  if (const auto* adam = std::get_if<AdamUpdate>(&spec)) return is_large_update(adam->count, hints);
  return false;
}

bool makes_gradient(const OpSpec& spec) {
  const auto* product = std::get_if<MatMul>(&spec);
  return (product != nullptr && product->transpose_a) || std::holds_alternative<Conv1dKernelGradient>(spec);
}

bool touches(const Op& op, BufferIndex buffer) {
  return std::find(op.operands.begin(), op.operands.end(), buffer) != op.operands.end();
}

/// The last operation before `end` that fits.
template <class Fits>
std::optional<std::size_t> last_before(const std::vector<Op>& ops, std::size_t end, const Fits& fits) {
  for (std::size_t i = end; i > 0; --i) {
    if (fits(ops[i - 1])) return i - 1;
  }
  return {};
}

/// Where the gradient's product stands once nobody after it reads the parameter; nothing if that cannot be had.
std::optional<std::size_t> place_of_product(std::vector<Op>& ops, std::size_t update) {
  const BufferIndex parameter = ops[update].operands[0], gradient = ops[update].operands[1];
  const auto product = last_before(ops, update, [&](const Op& op) { return touches(op, gradient); });
  if (!product || !makes_gradient(ops[*product].spec) || ops[*product].operands[2] != gradient) return {};
  const auto reader = last_before(ops, update, [&](const Op& op) { return touches(op, parameter); });
  if (!reader || *reader < *product) return product;
  const bool may_swap = *reader == *product + 1 && !touches(ops[*product], ops[*reader].operands[2]);
  if (!may_swap) return {};
  std::swap(ops[*product], ops[*reader]);
  return reader;
}

}  // namespace

bool is_large_update(std::int64_t count, const PlanHints& hints) {
  return hints.large_update_bytes > 0 && floats(count) >= hints.large_update_bytes;
}

void place_updates(std::vector<Op>& ops, const PlanHints& hints) {
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (!is_large(ops[i].spec, hints)) continue;
    const auto product = place_of_product(ops, i);
    if (!product) continue;
    const auto at = [&](std::size_t index) { return ops.begin() + static_cast<std::ptrdiff_t>(index); };
    std::rotate(at(*product + 1), at(i), at(i + 1));
  }
}

}  // namespace regatta::engine
