// Convolutions: through cuDNN where it has a plan, else by own kernels in fp32, else as products of the unfolded input;
// then what is fused.
#include "engine/cuda/tiled/convolution.hpp"

#include <type_traits>

#include "engine/cuda/products/operations.hpp"
#include "engine/cuda/products/unfolded.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine::cuda {

namespace {

template <class Op>
inline constexpr bool kIsForward = std::is_same_v<Op, Conv1d> || std::is_same_v<Op, Conv2d>;
template <class Op>
inline constexpr bool kIsKernelGradient =
    std::is_same_v<Op, Conv1dKernelGradient> || std::is_same_v<Op, Conv2dKernelGradient>;

template <class Op>
constexpr ConvolutionKind kKind = kIsForward<Op>          ? ConvolutionKind::forward
                                  : kIsKernelGradient<Op> ? ConvolutionKind::kernel_gradient
                                                          : ConvolutionKind::input_gradient;

void refuse_fft(const Conv1dShape& shape) {
  if (!shape.fft) return;
  throw InputError("algorithm fft is not there on device cuda; take algorithm direct, or device cpu");
}
void refuse_fft(const Conv2dShape& /*shape*/) {}

struct ConvolutionOps {
  template <class Op>
  static std::int64_t prepare(const ProductTools& tools, const Op& op) {
    refuse_fft(op.shape);
    const ConvolutionShape shape = image_of(op.shape);
    const ConvolutionPlan* const plan = tools.convolutions.find(kKind<Op>, shape);
    if (plan != nullptr) return scratch_bytes(*plan);
    if (const auto way = tools.convolutions.way(kKind<Op>, shape)) return tiled_scratch_bytes(kKind<Op>, shape, *way);
    return cuda::prepare(tools, UnfoldedConvolution{kKind<Op>, shape});
  }

  template <class Op>
  static void issue(const ProductTools& tools, const Target& target, const Op& op, const Memory& memory) {
    const ConvolutionShape shape = image_of(op.shape);
    const ConvolutionPlan* const plan = tools.convolutions.find(kKind<Op>, shape);
    if (plan != nullptr) {
      tools.convolutions.run(target, *plan, memory);
    } else if (const auto way = tools.convolutions.way(kKind<Op>, shape)) {
      return issue_tiled(target, tiled(op, shape, *way, memory), memory);
    } else {
      cuda::issue(tools, target, UnfoldedConvolution{kKind<Op>, shape}, memory);
    }
    finish(target, op, shape, memory);
  }

  /// With what is fused with it: bit by bit as finish() does it.
  template <class Op>
  static TiledConvolution tiled(const Op& op, const ConvolutionShape& shape, int way, const Memory& memory) {
    TiledConvolution made{.kind = kKind<Op>, .shape = shape, .way = way};
    if constexpr (kIsForward<Op>) {
      if (op.add_bias) made.bias = in(memory, 3);
      made.activation = op.activation;
    } else if constexpr (kIsKernelGradient<Op>) {
      if (op.sum_columns) made.sums = out(memory, 5);
    } else {
      if (op.derivative != Activation::none) made.saved = in(memory, 4);
      made.derivative = op.derivative;
    }
    return made;
  }

  template <class Op>
  static void finish(const Target& target, const Op& op, const ConvolutionShape& shape, const Memory& memory) {
    const std::int64_t rows = shape.batch * shape.out_rows * shape.out_columns;
    if constexpr (kIsForward<Op>) {
      if (op.add_bias || op.activation != Activation::none)
        finish_product(target, out(memory, 2), op.add_bias ? in(memory, 3) : nullptr, rows, shape.filters,
                       op.activation);
    } else if constexpr (kIsKernelGradient<Op>) {
      if (op.sum_columns) sum_columns(target, in(memory, 1), out(memory, 5), rows, shape.filters);
    } else if (op.derivative != Activation::none) {
      multiply_derivative(target, out(memory, 2), in(memory, 4), shape.input_size(), op.derivative);
    }
  }
};

}  // namespace

void enter_convolutions(ProductTable& table) {
  enter_family<ConvolutionOps, Conv1d, Conv1dKernelGradient, Conv1dInputGradient, Conv2d, Conv2dKernelGradient,
               Conv2dInputGradient>(table);
}

}  // namespace regatta::engine::cuda
