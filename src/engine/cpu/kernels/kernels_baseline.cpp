#include "engine/cpu/kernels/kernel_table.hpp"
#include "engine/cpu/vectors/vector_baseline.hpp"
// The kernels below are written for the vector type above.
#include "engine/cpu/kernels/make_table.hpp"

namespace regatta::engine::cpu {

namespace {
constexpr KernelTable kTable = make_table("baseline", "separate");
}

const KernelTable& baseline_kernels() { return kTable; }

}  // namespace regatta::engine::cpu
