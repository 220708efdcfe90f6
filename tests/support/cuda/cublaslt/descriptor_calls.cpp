// Descriptors, layouts and preferences of the fake cuBLASLt. An attribute that it does not know is NOT_SUPPORTED.
#include <cstring>
#include <new>

#include "support/cuda/cublaslt/status.hpp"

namespace regatta::cuda_fakes::lt {
namespace {

Refusal invalid(const std::string& why) { return {CUBLAS_STATUS_INVALID_VALUE, why}; }

Refusal unknown_attribute(int attribute) {
  return {CUBLAS_STATUS_NOT_SUPPORTED, "the fake does not know attribute " + std::to_string(attribute)};
}

template <class Value>
Refusal set(Value& to, const void* from, std::size_t bytes) {
  if (!from || bytes != sizeof(Value)) {
    return invalid("attribute of " + std::to_string(bytes) + " bytes, " + std::to_string(sizeof(Value)) + " expected");
  }
  std::memcpy(&to, from, bytes);
  return {};
}

template <class Struct, class Opaque>
Struct* alive(Opaque* opaque) {
  auto* const seen = reinterpret_cast<Struct*>(opaque);
  return opaque && seen->mark == Struct{}.mark ? seen : nullptr;
}

template <class Opaque, class Struct>
cublasStatus_t create(const char* call, Opaque** made, const Struct& value) {
  if (const cublasStatus_t status = begin(call); status != CUBLAS_STATUS_SUCCESS) return status;
  if (!made) return told(call, invalid("a null pointer"));
  *made = new Opaque{};
  new (*made) Struct(value);
  return CUBLAS_STATUS_SUCCESS;
}

template <class Opaque, class Struct>
cublasStatus_t init(const char* call, Opaque* place, std::size_t bytes, const Struct& value) {
  if (const cublasStatus_t status = begin(call); status != CUBLAS_STATUS_SUCCESS) return status;
  if (!place || bytes < sizeof(Opaque)) return told(call, {CUBLAS_STATUS_ALLOC_FAILED, "too small a place"});
  new (place) Struct(value);
  return CUBLAS_STATUS_SUCCESS;
}

template <class Struct, class Opaque>
cublasStatus_t destroy(const char* call, Opaque* opaque) {
  auto* const seen = alive<Struct>(opaque);
  if (!seen) return told(call, invalid("no such descriptor"));
  seen->mark = {};
  delete opaque;
  return CUBLAS_STATUS_SUCCESS;
}

Refusal set_attribute(Product& p, cublasLtMatmulDescAttributes_t attribute, const void* from, std::size_t bytes) {
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_POINTER_MODE:
      return set(p.pointer_mode, from, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return set(p.transpose_a, from, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return set(p.transpose_b, from, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return set(p.epilogue, from, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return set(p.bias, from, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE:
      return set(p.bias_stride, from, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
      return set(p.bits, from, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
      return set(p.bits_leading, from, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE:
      return set(p.bits_stride, from, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE: {
      std::int32_t type = CUDA_R_32F;
      Refusal refusal = set(type, from, bytes);
      if (refusal.why.empty() && type != CUDA_R_32F) refusal = {CUBLAS_STATUS_NOT_SUPPORTED, "a bias that is not fp32"};
      return refusal;
    }
    default:
      return unknown_attribute(attribute);
  }
}

Refusal set_attribute(Layout& l, cublasLtMatrixLayoutAttribute_t attribute, const void* from, std::size_t bytes) {
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE:
      return set(l.type, from, bytes);
    case CUBLASLT_MATRIX_LAYOUT_ORDER:
      return set(l.order, from, bytes);
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
      return set(l.rows, from, bytes);
    case CUBLASLT_MATRIX_LAYOUT_COLS:
      return set(l.columns, from, bytes);
    case CUBLASLT_MATRIX_LAYOUT_LD:
      return set(l.leading, from, bytes);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return set(l.batches, from, bytes);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return set(l.batch_stride, from, bytes);
    default:
      return unknown_attribute(attribute);
  }
}

Refusal set_attribute(Preference& p, cublasLtMatmulPreferenceAttributes_t attribute, const void* from,
                      std::size_t bytes) {
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return set(p.workspace_bytes, from, bytes);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return set(p.schemes, from, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return set(p.alignments.at(static_cast<std::size_t>(attribute - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES)),
                 from, bytes);
    default:
      return unknown_attribute(attribute);
  }
}

template <class Struct, class Opaque, class Attribute>
cublasStatus_t set_in(const char* call, Opaque* opaque, Attribute attribute, const void* from, std::size_t bytes) {
  if (const cublasStatus_t status = begin(call); status != CUBLAS_STATUS_SUCCESS) return status;
  auto* const seen = alive<Struct>(opaque);
  return told(call, seen ? set_attribute(*seen, attribute, from, bytes) : invalid("no such descriptor"));
}

Product product_of(cublasComputeType_t compute, cudaDataType_t scale) {
  Product product;
  product.compute = compute;
  product.scale = scale;
  return product;
}

Layout layout_of(cudaDataType type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
  Layout layout;
  layout.type = type;
  layout.rows = rows;
  layout.columns = columns;
  layout.leading = leading;
  return layout;
}

}  // namespace
}  // namespace regatta::cuda_fakes::lt

using namespace regatta::cuda_fakes::lt;

extern "C" {

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t desc, size_t bytes, cublasComputeType_t compute,
                                               cudaDataType_t scale) {
  return init("cublasLtMatmulDescInit", desc, bytes, product_of(compute, scale));
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute, cudaDataType_t scale) {
  return create(__func__, desc, product_of(compute, scale));
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) { return destroy<Product>(__func__, desc); }

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                                              const void* from, size_t bytes) {
  return set_in<Product>(__func__, desc, attribute, from, bytes);
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t bytes, cudaDataType type,
                                                 uint64_t rows, uint64_t columns, int64_t leading) {
  return init("cublasLtMatrixLayoutInit", layout, bytes, layout_of(type, rows, columns, leading));
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t leading) {
  return create(__func__, layout, layout_of(type, rows, columns, leading));
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) { return destroy<Layout>(__func__, layout); }

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, const void* from,
                                                size_t bytes) {
  return set_in<Layout>(__func__, layout, attribute, from, bytes);
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference, size_t bytes) {
  return init("cublasLtMatmulPreferenceInit", preference, bytes, Preference{});
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return create(__func__, preference, Preference{});
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return destroy<Preference>(__func__, preference);
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, const void* from,
                                                    size_t bytes) {
  return set_in<Preference>(__func__, preference, attribute, from, bytes);
}

}  // extern "C"
