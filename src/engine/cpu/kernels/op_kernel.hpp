// An operation that one kernel computes whole: the file of such kernels enters them in the table of its instruction
// set, and nothing else names them. Only plain types, as in kernel_table.hpp.
#pragma once

#include "regatta/engine/backend.hpp"

namespace regatta::engine::cpu {

template <class Spec>
const Spec& spec_of(const Call& call) {
  return *static_cast<const Spec*>(call.spec);
}

inline const float* in(const Call& call, std::size_t operand) {
  return static_cast<const float*>(call.operands[operand]);
}
inline float* out(const Call& call, std::size_t operand) { return static_cast<float*>(call.operands[operand]); }

/// How an operation splits: units, and elementary operations in each.
struct Split {
  std::int64_t units;
  double work;
};

struct OpKernel {
  void (*launch)(const Call& call, std::int64_t begin, std::int64_t end);  ///< null: the operation has calls of its own
  Split (*split)(const void* spec);
};

/// Enters `run(call, op, begin, end)` and `split(op)` for each of these operations. `kernels` is by place in OpSpec.
template <class... Specs, class Run, class SplitOf>
constexpr void enter_kernels(OpKernel* kernels, Run /*run*/, SplitOf /*split*/) {
  ((kernels[kOpIndex<Specs>] = {
        [](const Call& call, std::int64_t begin, std::int64_t end) { Run{}(call, spec_of<Specs>(call), begin, end); },
        [](const void* spec) { return SplitOf{}(*static_cast<const Specs*>(spec)); }}),
   ...);
}

}  // namespace regatta::engine::cpu
