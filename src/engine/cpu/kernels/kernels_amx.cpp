#include "engine/cpu/kernels/kernel_table.hpp"
#include "engine/cpu/vectors/vector_avx512.hpp"
// The kernels below are written for the vector type above.
#include "engine/cpu/kernels/bf16_gemm_kernel.hpp"

namespace regatta::engine::cpu {

namespace {
constexpr Bf16Kernels kTable = {
    .copy = bf16_copy, .copy_transposed = bf16_copy_transposed, .pack = bf16_pack, .gemm = bf16_gemm};
}

const Bf16Kernels& amx_kernels() { return kTable; }

}  // namespace regatta::engine::cpu
