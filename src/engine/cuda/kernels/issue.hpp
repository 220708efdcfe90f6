// The operations that own kernels compute whole: a function for each that issues it, one file of kernels for each
// `enter_` below. Own kernels for products stand in parts.hpp.
#pragma once

#include "engine/cuda/device/target.hpp"

namespace regatta::engine::cuda {

/// Issues one operation into the target's stream. `spec` is the alternative that its OpSpec holds. Throws DeviceError.
using Issue = void (*)(const Target& target, const void* spec, const Memory& memory);

/// The function of each operation, by its place in OpSpec; null where products compute it.
using IssueTable = std::array<Issue, kOpKinds>;

/// Enters `issue(target, op, memory)` for each of these operations.
template <class... Specs, class Run>
void enter(IssueTable& table, Run /*issue*/) {
  ((table[kOpIndex<Specs>] = [](const Target& target, const void* spec,
                                const Memory& memory) { Run{}(target, *static_cast<const Specs*>(spec), memory); }),
   ...);
}

void enter_elementwise(IssueTable& table);    // add, add_bias, activate, their gradients, softmax, fill, square
void enter_losses(IssueTable& table);         // loss
void enter_sums(IssueTable& table);           // column_sum, global average pool, sliding_mean
void enter_pools(IssueTable& table);          // max_pool, average_pool and gradients
void enter_normalization(IssueTable& table);  // batch_norm, layer_norm and gradients
void enter_dropout(IssueTable& table);        // dropout and gradient
void enter_embedding(IssueTable& table);      // embedding and gradient
void enter_updates(IssueTable& table);        // advance_step, accumulate, clip, sgd, adam

}  // namespace regatta::engine::cuda
