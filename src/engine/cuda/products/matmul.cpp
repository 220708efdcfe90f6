// MatMul: small ones in fp32 whole by own kernels; else the product through cuBLASLt, then what is fused with it, by an
// epilogue or by own kernels. With the same bits fused and apart.
#include "engine/cuda/tiled/matmul.hpp"

#include "engine/cuda/products/operations.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine::cuda {

namespace {

struct MatMuls {
  static Product product_of(const ProductTools& tools, const MatMul& op) {
    expect(!op.add_to_c && !op.outer_b, "plan hints of 0 leave products whole");
    return dense_product(op.m, op.n, op.k, op.transpose_a, op.transpose_b, tools.precision);
  }

  /// One kernel is all of it then. Rounded operands are left to the library.
  static bool is_outer(const ProductTools& tools, const MatMul& op) {
    return op.k == 1 && tools.precision != Precision::bf16;
  }

  static bool is_small(const ProductTools& tools, const MatMul& op) {
    return is_tiled(op) && tools.precision == Precision::fp32;
  }

  /// The part of bias and activation that the library does.
  static Epilogue epilogue_of(const ProductTools& tools, const Product& product, const MatMul& op) {
    if (!op.add_bias) return Epilogue::none;
    const bool has_relu = op.activation == Activation::relu;
    if (has_relu && tools.products.has(product, Epilogue::bias_relu)) return Epilogue::bias_relu;
    return tools.products.has(product, Epilogue::bias) ? Epilogue::bias : Epilogue::none;
  }

  /// Rounded copies of a and b, with bf16.
  struct Rounded {
    Bf16 *a = nullptr, *b = nullptr;
  };
  static Rounded rounded(const ProductTools& tools, const MatMul& op, Pieces& pieces) {
    if (tools.precision != Precision::bf16) return {};
    Bf16* const a = pieces.take<Bf16>(op.m * op.k);
    return {a, pieces.take<Bf16>(op.k * op.n)};
  }

  static std::int64_t prepare(const ProductTools& tools, const MatMul& op) {
    const Product product = product_of(tools, op);
    if (is_small(tools, op)) return tiled_scratch_bytes(op);
    if (is_outer(tools, op)) return 0;
    tools.products.prepare(product);
    static_cast<void>(epilogue_of(tools, product, op));
    Pieces pieces(nullptr);
    rounded(tools, op, pieces);
    return pieces.bytes();
  }

  static void issue(const ProductTools& tools, const Target& target, const MatMul& op, const Memory& memory) {
    if (is_small(tools, op)) return issue_tiled(target, op, memory);
    if (is_outer(tools, op)) {
      multiply_outer(target, op, memory);
    } else {
      multiply(tools, target, op, memory);
    }
    if (op.sum_columns) sum_columns(target, in(memory, 1), out(memory, 5), op.k, op.n);
  }

  static void multiply(const ProductTools& tools, const Target& target, const MatMul& op, const Memory& memory) {
    const Product product = product_of(tools, op);
    const void *a = memory[0], *b = memory[1];
    if (tools.precision == Precision::bf16) {
      Pieces pieces(memory[kScratch]);
      const Rounded copies = rounded(tools, op, pieces);
      round_to_bf16(target, in(memory, 0), copies.a, op.m * op.k);
      round_to_bf16(target, in(memory, 1), copies.b, op.k * op.n);
      a = copies.a;
      b = copies.b;
    }
    const Epilogue epilogue = epilogue_of(tools, product, op);
    tools.products.run(target, product, a, b, out(memory, 2), epilogue, in(memory, 3));
    finish(target, op, epilogue, memory);
  }

  /// Does the fused work that is not done by the product's epilogue.
  static void finish(const Target& target, const MatMul& op, Epilogue epilogue, const Memory& memory) {
    float* const c = out(memory, 2);
    const bool needs_bias = op.add_bias && epilogue == Epilogue::none;
    const bool needs_activation = op.activation != Activation::none && epilogue != Epilogue::bias_relu;
    if (needs_bias || needs_activation)
      finish_product(target, c, needs_bias ? in(memory, 3) : nullptr, op.m, op.n, op.activation);
    if (op.derivative != Activation::none) multiply_derivative(target, c, in(memory, 4), op.m * op.n, op.derivative);
  }
};

}  // namespace

void enter_matmul(ProductTable& table) { enter_family<MatMuls, MatMul>(table); }

}  // namespace regatta::engine::cuda
