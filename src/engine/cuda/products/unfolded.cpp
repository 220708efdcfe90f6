#include "engine/cuda/products/unfolded.hpp"

#include <algorithm>
#include <optional>

namespace regatta::engine::cuda {

namespace {

constexpr std::int64_t kFloat = sizeof(float);

/// The layout of the unfolded matrix: the same for all samples, taken some at a time.
struct Layout {
  const ConvolutionShape& s;
  bool in_bf16;
  std::int64_t most_scratch_bytes;
  std::int64_t positions = s.out_rows * s.out_columns;  // in a sample
  std::int64_t terms = s.taps_rows * s.taps_columns * s.channels;
  /// Each position reads one pixel, which is its own: x is the unfolded matrix.
  bool is_matrix = s.taps_rows * s.taps_columns == 1 && s.stride_rows == 1 && s.stride_columns == 1 &&
                   s.pad_rows == 0 && s.pad_columns == 0 && positions == s.rows * s.columns;

  [[nodiscard]] std::int64_t samples_at_once() const {
    const std::int64_t columns = is_matrix ? 0 : terms * kFloat;
    const std::int64_t rounded = in_bf16 ? (terms + s.filters) * static_cast<std::int64_t>(sizeof(Bf16)) : 0;
    const std::int64_t sample_bytes = positions * (columns + rounded);
    const std::int64_t most = std::max<std::int64_t>(1, most_scratch_bytes / std::max<std::int64_t>(1, sample_bytes));
    const std::int64_t pieces = (s.batch + most - 1) / most;
    return (s.batch + pieces - 1) / pieces;
  }
  [[nodiscard]] Unfolding unfolding(std::int64_t samples) const {
    return {.samples = samples,
            .rows = s.rows,
            .columns = s.columns,
            .channels = s.channels,
            .out_rows = s.out_rows,
            .out_columns = s.out_columns,
            .taps_rows = s.taps_rows,
            .taps_columns = s.taps_columns,
            .stride_rows = s.stride_rows,
            .stride_columns = s.stride_columns,
            .pad_rows = s.pad_rows,
            .pad_columns = s.pad_columns};
  }
};

/// Some samples, one after the other: their rows of the matrix and of y.
struct Part {
  std::int64_t first, samples, rows;
};

template <class Visit>
void for_each_part(const Layout& layout, const Visit& visit) {
  const std::int64_t at_once = layout.samples_at_once();
  for (std::int64_t first = 0; first < layout.s.batch; first += at_once) {
    const std::int64_t samples = std::min(at_once, layout.s.batch - first);
    visit(Part{first, samples, samples * layout.positions});
  }
}

Product product_of(const ProductTools& tools, const UnfoldedConvolution& op, const Layout& layout, const Part& part) {
  const ConvolutionShape& s = op.shape;
  Product product{};
  switch (op.kind) {
    case ConvolutionKind::forward:
      product = dense_product(part.rows, s.filters, layout.terms, false, false, tools.precision);
      break;
    case ConvolutionKind::kernel_gradient:
      product = dense_product(layout.terms, s.filters, part.rows, true, false, tools.precision);
      product.add_to_c = part.first > 0;
      break;
    case ConvolutionKind::input_gradient:
      product = dense_product(part.rows, layout.terms, s.filters, false, true, tools.precision);
      break;
  }
  const std::int64_t at_once = layout.samples_at_once();
  product.alignment = common_alignment(
      {at_once * layout.positions * s.filters * kFloat, at_once * s.rows * s.columns * s.channels * kFloat});
  return product;
}

/// Memory for a part: the matrix, and with bf16 rounded copies of the product's operands.
struct Scratch {
  float* matrix = nullptr;
  Bf16 *first = nullptr, *second = nullptr;
};

Scratch scratch_in(const UnfoldedConvolution& op, const Layout& layout, Pieces& pieces) {
  const std::int64_t rows = layout.samples_at_once() * layout.positions;
  Scratch scratch;
  if (!layout.is_matrix) scratch.matrix = pieces.take<float>(rows * layout.terms);
  if (!layout.in_bf16) return scratch;
  const std::int64_t kernel = op.shape.kernel_size(), matrix = rows * layout.terms, y = rows * op.shape.filters;
  scratch.first = pieces.take<Bf16>(op.kind == ConvolutionKind::input_gradient ? y : matrix);
  scratch.second = pieces.take<Bf16>(op.kind == ConvolutionKind::kernel_gradient ? y : kernel);
  return scratch;
}

/// One operand of a product, rounded where that is asked for.
const void* operand(const Target& target, const float* values, std::int64_t count, Bf16* rounded) {
  if (rounded == nullptr) return values;
  round_to_bf16(target, values, rounded, count);
  return rounded;
}

/// Some samples of a forward convolution or of a kernel's gradient; `second` is the product's b, ready.
void issue_unfolded(const ProductTools& tools, const Target& target, const UnfoldedConvolution& op,
                    const Layout& layout, const Part& part, const Scratch& scratch, const void* second, float* c,
                    const float* x) {
  const float* matrix = x + part.first * op.shape.rows * op.shape.columns * op.shape.channels;
  if (!layout.is_matrix) {
    unfold(target, layout.unfolding(part.samples), matrix, scratch.matrix);
    matrix = scratch.matrix;
  }
  const void* const first = operand(target, matrix, part.rows * layout.terms, scratch.first);
  tools.products.run(target, product_of(tools, op, layout, part), first, second, c);
}

/// Some samples of an input's gradient; `kernel` is ready.
void issue_folded(const ProductTools& tools, const Target& target, const UnfoldedConvolution& op, const Layout& layout,
                  const Part& part, const Scratch& scratch, const void* kernel, const Memory& memory) {
  const ConvolutionShape& s = op.shape;
  const float* const dy = in(memory, 0) + part.first * layout.positions * s.filters;
  float* const dx = out(memory, 2) + part.first * s.rows * s.columns * s.channels;
  float* const matrix = layout.is_matrix ? dx : scratch.matrix;
  const void* const first = operand(target, dy, part.rows * s.filters, scratch.first);
  tools.products.run(target, product_of(tools, op, layout, part), first, kernel, matrix);
  if (!layout.is_matrix) fold(target, layout.unfolding(part.samples), matrix, dx);
}

}  // namespace

std::int64_t prepare(const ProductTools& tools, const UnfoldedConvolution& op) {
  const Layout layout{op.shape, tools.precision == Precision::bf16, op.most_scratch_bytes};
  for_each_part(layout, [&](const Part& part) { tools.products.prepare(product_of(tools, op, layout, part)); });
  Pieces pieces(nullptr);
  scratch_in(op, layout, pieces);
  return pieces.bytes();
}

void issue(const ProductTools& tools, const Target& target, const UnfoldedConvolution& op, const Memory& memory) {
  const Layout layout{op.shape, tools.precision == Precision::bf16, op.most_scratch_bytes};
  Pieces pieces(memory[kScratch]);
  const Scratch scratch = scratch_in(op, layout, pieces);
  const ConvolutionShape& s = op.shape;
  if (op.kind == ConvolutionKind::kernel_gradient) {
    for_each_part(layout, [&](const Part& part) {
      const float* const dy = in(memory, 1) + part.first * layout.positions * s.filters;
      const void* const second = operand(target, dy, part.rows * s.filters, scratch.second);
      issue_unfolded(tools, target, op, layout, part, scratch, second, out(memory, 2), in(memory, 0));
    });
    return;
  }
  const void* const kernel = operand(target, in(memory, 1), s.kernel_size(), scratch.second);
  for_each_part(layout, [&](const Part& part) {
    if (op.kind == ConvolutionKind::input_gradient) {
      issue_folded(tools, target, op, layout, part, scratch, kernel, memory);
    } else {
      float* const y = out(memory, 2) + part.first * layout.positions * s.filters;
      issue_unfolded(tools, target, op, layout, part, scratch, kernel, y, in(memory, 0));
    }
  });
}

}  // namespace regatta::engine::cuda
