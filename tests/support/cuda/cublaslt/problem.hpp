// A product as the fake cuBLASLt is told it: descriptors, layouts, and what is wrong with them.
#pragma once

#include <cublasLt.h>

#include <array>
#include <cstdint>
#include <string>

namespace regatta::cuda_fakes::lt {

/// The first word of every descriptor that is alive.
enum class Mark : std::uint64_t {
  layout = 0x6c61796f75740a01,
  product = 0x70726f6475630a02,
  preference = 0x7072656665720a03
};

struct Layout {
  Mark mark = Mark::layout;
  cudaDataType type = CUDA_R_32F;
  std::int32_t order = CUBLASLT_ORDER_COL;
  std::uint64_t rows = 0, columns = 0;
  std::int64_t leading = 0;
  std::int64_t batch_stride = 0;
  std::int32_t batches = 1;

  /// Elements that lie behind one another, and how many such lines there are.
  [[nodiscard]] std::uint64_t line() const { return order == CUBLASLT_ORDER_COL ? rows : columns; }
  [[nodiscard]] std::uint64_t lines() const { return order == CUBLASLT_ORDER_COL ? columns : rows; }
  [[nodiscard]] std::size_t element_bytes() const;
  /// From the first element to behind the last one.
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::int64_t place(std::int64_t row, std::int64_t column) const {
    return order == CUBLASLT_ORDER_COL ? column * leading + row : row * leading + column;
  }
};

struct Product {
  Mark mark = Mark::product;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType scale = CUDA_R_32F;
  std::int32_t transpose_a = CUBLAS_OP_N, transpose_b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  std::int32_t pointer_mode = CUBLASLT_POINTER_MODE_HOST;
  void* bias = nullptr;
  std::int64_t bias_stride = 0;
  void* bits = nullptr;  ///< auxiliary: one bit for each element of D, whether it was above zero
  std::int64_t bits_leading = 0;
  std::int64_t bits_stride = 0;
};

struct Preference {
  Mark mark = Mark::preference;
  std::uint64_t workspace_bytes = 0;
  std::uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_MASK;
  std::array<std::uint32_t, 4> alignments{256, 256, 256, 256};  ///< bytes, of A, B, C, D
};

static_assert(sizeof(Layout) <= sizeof(cublasLtMatrixLayoutOpaque_t));
static_assert(sizeof(Product) <= sizeof(cublasLtMatmulDescOpaque_t));
static_assert(sizeof(Preference) <= sizeof(cublasLtMatmulPreferenceOpaque_t));

/// D = epilogue(alpha op(A) op(B) + beta C).
struct Problem {
  Product product;
  Layout a, b, c, d;

  [[nodiscard]] std::int64_t m() const { return static_cast<std::int64_t>(d.rows); }
  [[nodiscard]] std::int64_t n() const { return static_cast<std::int64_t>(d.columns); }
  [[nodiscard]] std::int64_t k() const {
    return static_cast<std::int64_t>(product.transpose_a == CUBLAS_OP_N ? a.columns : a.rows);
  }
};

/// A refusal: the library's status, and why.
struct Refusal {
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  std::string why;
};

/// Success where the library computes such a product, its epilogue aside.
Refusal refusal_of(const Problem& problem);
/// The epilogue's own demands: its pointers, leading dimensions, the order of D.
Refusal refusal_of_epilogue(const Problem& problem);

bool adds_bias(cublasLtEpilogue_t epilogue);
bool sums_gradient(cublasLtEpilogue_t epilogue);
bool is_relu(cublasLtEpilogue_t epilogue);
bool writes_bits(cublasLtEpilogue_t epilogue);
bool reads_bits(cublasLtEpilogue_t epilogue);
/// Length of the bias, or of its gradient.
std::int64_t bias_length(const Problem& problem);

}  // namespace regatta::cuda_fakes::lt
