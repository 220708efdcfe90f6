#include "support/cuda/cublaslt/problem.hpp"

namespace regatta::cuda_fakes::lt {
namespace {

constexpr std::int64_t kBitsLeading = 128;

Refusal invalid(const std::string& why) { return {CUBLAS_STATUS_INVALID_VALUE, why}; }
Refusal unsupported(const std::string& why) { return {CUBLAS_STATUS_NOT_SUPPORTED, why}; }

Refusal refusal_of(const Layout& layout, const char* name) {
  const std::string matrix = std::string(name) + ": ";
  if (layout.element_bytes() == 0) return unsupported(matrix + "the fake knows only fp32 and bf16");
  if (layout.order != CUBLASLT_ORDER_COL && layout.order != CUBLASLT_ORDER_ROW) {
    return unsupported(matrix + "the fake knows only column and row order");
  }
  if (layout.rows == 0 || layout.columns == 0) return invalid(matrix + "no elements");
  if (layout.leading < static_cast<std::int64_t>(layout.line())) {
    return invalid(matrix + "leading dimension " + std::to_string(layout.leading) + " below " +
                   std::to_string(layout.line()));
  }
  if (layout.batches < 1) return invalid(matrix + "batch count " + std::to_string(layout.batches));
  return {};
}

Refusal refusal_of_types(const Problem& p) {
  if (p.product.scale != CUDA_R_32F) return unsupported("the fake knows only fp32 as the type of alpha and beta");
  if (p.product.pointer_mode != CUBLASLT_POINTER_MODE_HOST) return unsupported("the fake reads alpha on the host only");
  if (p.a.type != p.b.type) return invalid("A and B are of different types");
  if (p.c.type != CUDA_R_32F || p.d.type != CUDA_R_32F) return unsupported("the fake knows only fp32 results");
  switch (p.product.compute) {
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
      return {};
    case CUBLAS_COMPUTE_32F_FAST_TF32:
      return p.a.type == CUDA_R_32F ? Refusal{} : unsupported("tf32 is for fp32 operands");
    default:
      return unsupported("the fake does not know this compute type");
  }
}

}  // namespace

std::size_t Layout::element_bytes() const {
  if (type == CUDA_R_32F) return 4;
  return type == CUDA_R_16BF ? 2 : 0;
}

std::size_t Layout::bytes() const {
  const std::uint64_t elements = (lines() - 1) * static_cast<std::uint64_t>(leading) + line() +
                                 static_cast<std::uint64_t>(batches - 1) * static_cast<std::uint64_t>(batch_stride);
  return elements * element_bytes();
}

bool adds_bias(cublasLtEpilogue_t e) {
  return e == CUBLASLT_EPILOGUE_BIAS || e == CUBLASLT_EPILOGUE_RELU_BIAS || e == CUBLASLT_EPILOGUE_RELU_AUX_BIAS;
}

bool sums_gradient(cublasLtEpilogue_t e) {
  return e == CUBLASLT_EPILOGUE_DRELU_BGRAD || e == CUBLASLT_EPILOGUE_BGRADA || e == CUBLASLT_EPILOGUE_BGRADB;
}

bool is_relu(cublasLtEpilogue_t e) {
  return e == CUBLASLT_EPILOGUE_RELU || e == CUBLASLT_EPILOGUE_RELU_BIAS || writes_bits(e);
}

bool writes_bits(cublasLtEpilogue_t e) {
  return e == CUBLASLT_EPILOGUE_RELU_AUX || e == CUBLASLT_EPILOGUE_RELU_AUX_BIAS;
}

bool reads_bits(cublasLtEpilogue_t e) { return e == CUBLASLT_EPILOGUE_DRELU || e == CUBLASLT_EPILOGUE_DRELU_BGRAD; }

std::int64_t bias_length(const Problem& p) { return p.product.epilogue == CUBLASLT_EPILOGUE_BGRADB ? p.n() : p.m(); }

Refusal refusal_of(const Problem& p) {
  const struct {
    const Layout& layout;
    const char* name;
  } all[] = {{p.a, "A"}, {p.b, "B"}, {p.c, "C"}, {p.d, "D"}};
  for (const auto& one : all) {
    if (Refusal refusal = refusal_of(one.layout, one.name); !refusal.why.empty()) return refusal;
    if (one.layout.batches != p.d.batches) return invalid(std::string(one.name) + " and D have different batch counts");
  }
  for (const std::int32_t transpose : {p.product.transpose_a, p.product.transpose_b}) {
    if (transpose != CUBLAS_OP_N && transpose != CUBLAS_OP_T) return unsupported("the fake knows no conjugates");
  }
  const std::uint64_t m = p.product.transpose_a == CUBLAS_OP_N ? p.a.rows : p.a.columns;
  const std::uint64_t kb = p.product.transpose_b == CUBLAS_OP_N ? p.b.rows : p.b.columns;
  const std::uint64_t n = p.product.transpose_b == CUBLAS_OP_N ? p.b.columns : p.b.rows;
  if (static_cast<std::uint64_t>(p.k()) != kb) {
    return invalid("op(A) has " + std::to_string(p.k()) + " columns, op(B) " + std::to_string(kb) + " rows");
  }
  if (p.d.rows != m || p.d.columns != n) return invalid("D is not op(A)'s rows by op(B)'s columns");
  if (p.c.rows != m || p.c.columns != n) return invalid("C is not as large as D");
  if (p.d.batches > 1 && p.d.batch_stride < static_cast<std::int64_t>(p.d.lines() - 1) * p.d.leading) {
    return invalid("the batches of D overlap");
  }
  return refusal_of_types(p);
}

Refusal refusal_of_epilogue(const Problem& p) {
  const cublasLtEpilogue_t e = p.product.epilogue;
  if (e == CUBLASLT_EPILOGUE_DEFAULT) return {};
  const bool is_known = is_relu(e) || adds_bias(e) || sums_gradient(e) || reads_bits(e);
  if (!is_known) return unsupported("the fake does not know epilogue " + std::to_string(e));
  if (p.d.order != CUBLASLT_ORDER_COL) return unsupported("an epilogue with a result in row order");
  if (!writes_bits(e) && !reads_bits(e)) return {};
  const std::int64_t leading = p.product.bits_leading;
  if (leading < p.m() || leading % kBitsLeading != 0) {
    return invalid("auxiliary bits: leading dimension " + std::to_string(leading) +
                   ", which must be a multiple of 128 and no less than the rows of D");
  }
  return {};
}

}  // namespace regatta::cuda_fakes::lt
