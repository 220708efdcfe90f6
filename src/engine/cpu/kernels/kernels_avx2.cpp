#include "engine/cpu/kernels/kernel_table.hpp"
#include "engine/cpu/vectors/vector_avx2.hpp"
// The kernels below are written for the vector type above.
#include "engine/cpu/kernels/make_table.hpp"

namespace regatta::engine::cpu {

namespace {
constexpr KernelTable kTable = make_table("avx2", "fused");
}

const KernelTable& avx2_kernels() { return kTable; }

}  // namespace regatta::engine::cpu
