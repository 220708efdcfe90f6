#include "engine/cpu/kernels/kernel_table.hpp"
#include "engine/cpu/vectors/vector_avx512.hpp"
// The kernels below are written for the vector type above.
#include "engine/cpu/kernels/make_table.hpp"

namespace regatta::engine::cpu {

namespace {
constexpr KernelTable kTable = make_table("avx512", "fused");
}

const KernelTable& avx512_kernels() { return kTable; }

}  // namespace regatta::engine::cpu
