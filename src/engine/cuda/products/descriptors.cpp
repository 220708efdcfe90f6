#include "engine/cuda/products/descriptors.hpp"

#include "engine/cuda/device/check.hpp"

namespace regatta::engine::cuda {

namespace {

/// fp32 operands are not rounded: only the FAST types may do that. The pedantic type forbids no more to them.
cublasComputeType_t compute_type(Precision precision) {
  return precision == Precision::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

template <class Value>
void set(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t attribute, const Value& value) {
  require(cublasLtMatmulDescSetAttribute(product, attribute, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
}

template <class Value>
void set(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute, const Value& value) {
  require(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value),
          "cublasLtMatmulPreferenceSetAttribute");
}

/// Our matrix of `rows` stored rows, of `columns` elements each: the library's of as many columns.
LtLayout layout(cudaDataType_t type, std::int64_t rows, std::int64_t columns, std::int64_t row) {
  cublasLtMatrixLayout_t made = nullptr;
  require(cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(rows),
                                     row),
          "cublasLtMatrixLayoutCreate");
  return LtLayout(made);
}

}  // namespace

std::string text_of(const Product& product) {
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  const char* const precision = product.precision == Precision::fp32   ? "fp32"
                                : product.precision == Precision::tf32 ? "tf32"
                                                                       : "bf16";
  return "product " + number(product.m) + " x " + number(product.n) + " x " + number(product.k) + ' ' +
         (product.transpose_a ? 't' : 'n') + (product.transpose_b ? 't' : 'n') + ", rows " + number(product.row_a) +
         ' ' + number(product.row_b) + ' ' + number(product.row_c) + ", " + precision +
         (product.add_to_c ? ", added" : "") + ", aligned to " + number(product.alignment);
}

LtHandle make_handle() {
  cublasLtHandle_t handle = nullptr;
  require(cublasLtCreate(&handle), "cublasLtCreate");
  return LtHandle(handle);
}

Descriptors describe(const Product& product) {
  const cudaDataType_t type = product.precision == Precision::bf16 ? CUDA_R_16BF : CUDA_R_32F;
  cublasLtMatmulDesc_t made = nullptr;
  require(cublasLtMatmulDescCreate(&made, compute_type(product.precision), CUDA_R_32F), "cublasLtMatmulDescCreate");
  Descriptors described{LtProduct(made), nullptr, nullptr, nullptr};
  const cublasOperation_t first = product.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t second = product.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  set(made, CUBLASLT_MATMUL_DESC_TRANSA, first);
  set(made, CUBLASLT_MATMUL_DESC_TRANSB, second);
  const bool tb = product.transpose_b, ta = product.transpose_a;
  described.first = layout(type, tb ? product.n : product.k, tb ? product.k : product.n, product.row_b);
  described.second = layout(type, ta ? product.k : product.m, ta ? product.m : product.k, product.row_a);
  described.result = layout(CUDA_R_32F, product.m, product.n, product.row_c);
  return described;
}

void set_epilogue(cublasLtMatmulDesc_t product, Epilogue epilogue, const float* bias) {
  const cublasLtEpilogue_t value = epilogue == Epilogue::none   ? CUBLASLT_EPILOGUE_DEFAULT
                                   : epilogue == Epilogue::bias ? CUBLASLT_EPILOGUE_BIAS
                                                                : CUBLASLT_EPILOGUE_RELU_BIAS;
  set(product, CUBLASLT_MATMUL_DESC_EPILOGUE, value);
  // cuBLASLt refuses a bias beside an epilogue that adds none, although it says that the algorithm does the product.
  const void* const pointer = epilogue != Epilogue::none ? bias : nullptr;
  set(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, pointer);
}

LtPreference make_preference(const Product& product, std::int64_t workspace_bytes, bool deterministic) {
  cublasLtMatmulPreference_t made = nullptr;
  require(cublasLtMatmulPreferenceCreate(&made), "cublasLtMatmulPreferenceCreate");
  LtPreference preference(made);
  set(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, static_cast<std::uint64_t>(workspace_bytes));
  for (const auto attribute : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                               CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    set(made, attribute, static_cast<std::uint32_t>(product.alignment));
  // Parts of a sum that meet in c itself do so in the order in which they come.
  const std::uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_NONE | CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  if (deterministic) set(made, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, schemes);
  return preference;
}

}  // namespace regatta::engine::cuda
