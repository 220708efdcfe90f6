// The kernels of one instruction set, as a table: the same sources are compiled once for each, and the
// processor decides which table is used. Only plain types, because these files may hold no weak symbol.
#pragma once

#include <cstdint>

#include "engine/cpu/kernels/bf16_kernels.hpp"
#include "engine/cpu/kernels/fft_kernels.hpp"
#include "engine/cpu/kernels/layer_kernels.hpp"
#include "engine/cpu/kernels/op_kernel.hpp"
#include "regatta/engine/ops.hpp"

namespace regatta::engine::cpu {

/// Memory that is read soon, in lines of 64 bytes.
struct Ahead {
  const float* first = nullptr;
  std::int64_t lines = 0;
};

/// c(m, n) = sum over outer and k of a(m; outer, k) b(outer, k; n), then the epilogue. Strides count
/// floats; rows of `a` may overlap (a convolution is such a product). Each element of c is summed in
/// an order that depends on `outer` and `k` only, so any split of m and n gives the same bits.
struct GemmView {
  std::int64_t m, n, k;
  std::int64_t outer = 1;
  const float* a;
  std::int64_t a_row, a_k, a_outer = 0;
  const float* b;        ///< panels of KernelTable::panel columns
  std::int64_t b_k;      ///< between rows of a panel; `panel` if packed
  std::int64_t b_panel;  ///< between panels; `panel` if not packed
  std::int64_t b_outer = 0;
  float* c;
  std::int64_t c_row;
  const float* bias = nullptr;  ///< (n), added to each row
  Activation activation = Activation::none;
  const float* saved = nullptr;  ///< (m, n) with rows `saved_row` apart: c is multiplied by the derivative there
  std::int64_t saved_row = 0;
  Activation derivative = Activation::none;
  std::int64_t groups = 1;                ///< c has so many groups of m rows; saved lies as c does
  std::int64_t a_group = 0, c_group = 0;  ///< between them
  bool add_to_c = false;                  ///< c holds the blocks of the sum that come before these
  bool finish = true;                     ///< no blocks come after these: bias and functions follow
  Ahead ahead = {};                       ///< asked for beside the product, into the second-level cache
  std::int64_t depth = 0;                 ///< terms of one block of the sum at most; 0: KernelTable::block
  std::int64_t outer_block = 0;           ///< outer steps that make up one block of the sum; 0: as many as fill it
};

/// Copies columns [first, first + count * panel) of b(k, n), element (row, column) at
/// b[row * row_stride + column * column_stride], into panels; columns beyond n are zeros.
struct PackView {
  const float* b;
  std::int64_t k, n, row_stride, column_stride;
  std::int64_t first_panel, end_panel;
  float* panels;  ///< begin of panel 0
};

/// c(m, n) = sum over k of a(k; m) b(k; n), where b is column(k) times row(n) times the derivative of relu at saved:
/// the gradient of a layer in front of one with a single unit. Sums are cut into blocks as those of GemmView.
struct OuterGradientView {
  std::int64_t m, n, k;
  const float* a;  ///< (k; m), rows of the sum a_k apart
  std::int64_t a_k;
  const float* column;
  const float* row;
  const float* saved;  ///< (k, n), or null: no derivative
  float* c;
  float* sums;    ///< sums of b's columns (n), or null: nobody wants them
  bool add_to_c;  ///< c and sums hold those of the rows before
};

inline constexpr std::int64_t kFewColumns = 16;  ///< up to so many columns, sums of one row run in several chains

struct AdamFactors {
  float learning_rate, beta1, beta2, rest1, rest2;  ///< rest = 1 - beta
  float epsilon, correction1, correction2;
  float weight_decay;
};

struct KernelTable {
  const char* isa;
  const char* arithmetic;   ///< as Backend::arithmetic
  std::int64_t lanes;       ///< floats of a vector
  std::int64_t panel;       ///< columns of a packed panel
  std::int64_t tile_rows;   ///< rows of the register tile
  std::int64_t wide_rows;   ///< rows up to which two panels are multiplied at once
  std::int64_t block;       ///< terms of a sum that make up one block, at most
  std::int64_t deep_block;  ///< the same of sums along the rows of a, which read their panel more evenly
  bool masked_loads;        ///< the last columns of an unpacked b can be read without reading beyond

  void (*gemm)(const GemmView& view);
  void (*dots)(const GemmView& view);           ///< n = 1, a_k = 1, b contiguous, outer = 1
  void (*few_columns)(const GemmView& view);    ///< m = 1, n <= kFewColumns, a_k = 1, outer = 1; masked_loads only
  void (*outer_product)(const GemmView& view);  ///< k = 1, b as it lies; of the epilogue only the derivative of relu
  void (*outer_gradient)(const OuterGradientView& view);
  void (*pack)(const PackView& view);
  /// sums[j] = sum over rows of x[row * columns + j], j in [begin, end)
  void (*column_sum)(const float* x, std::int64_t rows, std::int64_t columns, std::int64_t begin, std::int64_t end,
                     float* sums);
  /// The same, onto sums that hold those of the rows before.
  void (*add_column_sum)(const float* x, std::int64_t rows, std::int64_t columns, std::int64_t begin, std::int64_t end,
                         float* sums);
  void (*add_bias)(float* x, const float* bias, std::int64_t rows, std::int64_t columns);
  void (*activate)(Activation activation, float* x, std::int64_t count);
  void (*activate_gradient)(Activation activation, float* dy, const float* y, std::int64_t count);
  void (*multiply)(const float* a, const float* b, float* c, std::int64_t count);
  /// y[j] = scale * sum over rows of x(rows, columns)
  void (*average)(const float* x, std::int64_t rows, std::int64_t columns, float scale, float* y);
  /// each row of x(rows, columns) = scale * y
  void (*spread)(const float* y, std::int64_t rows, std::int64_t columns, float scale, float* x);
  void (*softmax)(float* x, std::int64_t rows, std::int64_t columns);
  void (*squared_errors)(const float* prediction, const float* target, std::int64_t rows, std::int64_t columns,
                         float* losses);
  void (*binary_entropies)(const float* logits, const float* target, std::int64_t rows, std::int64_t columns,
                           float* probabilities, float* losses);
  void (*categorical_entropies)(const float* logits, const std::int32_t* classes, std::int64_t rows,
                                std::int64_t columns, float* probabilities, float* losses);
  /// c = scale * (a - b)
  void (*scaled_difference)(const float* a, const float* b, float scale, float* c, std::int64_t count);
  /// c = scale * a, and in each row's class scale * (a - 1)
  void (*categorical_gradient)(const float* probabilities, const std::int32_t* classes, std::int64_t rows,
                               std::int64_t columns, float scale, float* gradient);
  void (*sgd)(float* w, const float* g, float* velocity, std::int64_t count, float learning_rate, float momentum,
              float weight_decay);
  void (*adam)(float* w, const float* g, float* m, float* v, std::int64_t count, const AdamFactors& factors);
  /// For tests against the standard library: in place.
  void (*exponential)(float* x, std::int64_t count);
  void (*logarithm)(float* x, std::int64_t count);
  LayerKernels layers;
  OpKernel ops[kOpKinds] = {};  ///< by place in OpSpec
  FftKernels fft;
  const Bf16Kernels* bf16 = nullptr;  ///< set: products of dense layers and 1-D convolutions are taken in bf16
};

inline const KernelTable& kernels_of(const Call& call) { return *static_cast<const KernelTable*>(call.context); }

const KernelTable& avx512_kernels();
const KernelTable& avx2_kernels();
const KernelTable& baseline_kernels();
const Bf16Kernels& amx_kernels();

}  // namespace regatta::engine::cpu
