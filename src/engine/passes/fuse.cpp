#include <algorithm>
#include <optional>

#include "engine/ir/ir.hpp"
#include "engine/passes/passes.hpp"

namespace regatta::engine {

namespace {

constexpr std::int64_t kFloat = sizeof(float);

/// The one operation that `first` followed by `second` makes, if there is one.
struct Fusion {
  const std::vector<BufferSpec>& buffers;
  const PlanHints& hints;
  const Op& first;
  const Op& second;

  [[nodiscard]] const BufferSpec& spec(BufferIndex index) const { return buffers[static_cast<std::size_t>(index)]; }

  /// `product` with one more operand.
  [[nodiscard]] Op with(OpSpec fused, const Op& product, std::size_t position, BufferIndex buffer) const {
    Op op{fused, product.operands};
    op.operands[position] = buffer;
    return op;
  }

  template <class Product>
  std::optional<Op> operator()(Product product, const AddBias&) const requires requires {
    product.add_bias;
  }
  {
    if (first.operands[2] != second.operands[0] || product.add_bias || product.activation != Activation::none)
      return {};
    product.add_bias = true;
    return with(product, first, 3, second.operands[1]);
  }

  template <class Product>
  std::optional<Op> operator()(Product product, const Activate& activate) const requires requires {
    product.activation;
    product.add_bias;
  }
  {
    if (first.operands[2] != second.operands[0] || product.activation != Activation::none) return {};
    product.activation = activate.activation;
    return Op{product, first.operands};
  }

  template <class Product>
  std::optional<Op> operator()(Product product, const ActivateGradient& gradient) const requires requires {
    product.derivative;
  }
  {
    if (first.operands[2] != second.operands[0] || product.derivative != Activation::none) return {};
    product.derivative = gradient.activation;
    return with(product, first, 4, second.operands[1]);
  }

  template <class Product>
  std::optional<Op> operator()(const ColumnSum&, Product product) const requires requires {
    product.sum_columns;
  }
  {
    if (first.operands[0] != second.operands[1]) return {};
    product.sum_columns = true;
    return with(product, second, 5, first.operands[1]);
  }

  std::optional<Op> operator()(Loss loss, const Loss& more) const {
    loss.samples |= more.samples;
    loss.mean |= more.mean;
    loss.gradient |= more.gradient;
    Op op{loss, first.operands};
    for (std::size_t i = 0; i < kOperands; ++i) {
      if (op.operands[i] == kNoBuffer) op.operands[i] = second.operands[i];
    }
    return op;
  }

  template <class Update>
  std::optional<Op> operator()(Update update, const Update& next) const requires requires {
    update.clips;
  }
  {
    const std::int64_t begin = spec(first.operands[0]).offset;
    const std::int64_t next_begin = spec(second.operands[0]).offset;
    if (is_large_update(std::max(update.count, next.count), hints)) return {};  // it follows its gradient
    if (begin + aligned(update.count * kFloat) != next_begin) return {};        // the padding between them holds zeros
    update.count = (next_begin - begin) / kFloat + next.count;
    return Op{update, first.operands};
  }

  std::optional<Op> operator()(const auto&, const auto&) const { return {}; }
};

}  // namespace

std::vector<Op> fuse(const std::vector<Op>& ops, const std::vector<BufferSpec>& buffers, const PlanHints& hints) {
  std::vector<Op> fused;
  for (const Op& op : ops) {
    if (!fused.empty()) {
      const std::optional<Op> both = std::visit(Fusion{buffers, hints, fused.back(), op}, fused.back().spec, op.spec);
      if (both) {
        fused.back() = *both;
        continue;
      }
    }
    fused.push_back(op);
  }
  return fused;
}

}  // namespace regatta::engine
