#include "engine/cuda/kernels/issue.hpp"
#include "engine/cuda/kernels/launches.hpp"
#include "engine/cuda/kernels/updates.cuh"

namespace regatta::engine::cuda {

namespace {

const StepState* state_of(const Memory& memory, std::size_t operand) {
  return static_cast<const StepState*>(memory[operand]);
}

void issue(const Target& target, const AdvanceStep& op, const Memory& memory) {
  launch(target, "advance_step", {dim3(1), dim3(1)}, advance_state, static_cast<StepState*>(memory[0]), op.beta1,
         op.beta2);
}

void issue(const Target& target, const AccumulateGradients& op, const Memory& memory) {
  const AccumulateElements add{floats_of(memory, 0), floats_of(memory, 1), static_cast<float>(op.mean_of)};
  launch_elements(target, "accumulate_gradients", add, op.count, take_packs({add.gradients, add.sums}));
}

/// In so many blocks as the count alone tells.
void issue(const Target& target, const ClipGradients& op, const Memory& memory) {
  constexpr std::int64_t kOfThread = 8;
  const std::int64_t blocks = std::clamp<std::int64_t>(op.count / (kOfThread * kThreads), 1, 512);
  expect(blocks * 8 <= target.workspace_bytes, "the workspace holds the sums of all blocks");
  launch(target, "clip_gradients", {blocks_of(blocks), dim3(kThreads)}, clip_scale, floats_of(memory, 0), op.count,
         op.clip_norm, static_cast<double*>(target.workspace), target.counters, static_cast<StepState*>(memory[1]));
}

void issue(const Target& target, const SgdUpdate& op, const Memory& memory) {
  const SgdElements sgd{.w = floats_of(memory, 0),
                        .g = floats_of(memory, 1),
                        .v = op.momentum != 0 ? floats_of(memory, 2) : nullptr,
                        .state = state_of(memory, 3),
                        .momentum = op.momentum,
                        .weight_decay = op.weight_decay,
                        .clips = op.clips};
  launch_elements(target, "sgd_update", sgd, op.count, take_packs({sgd.w, sgd.g, sgd.v}));
}

void issue(const Target& target, const AdamUpdate& op, const Memory& memory) {
  const AdamElements adam{.w = floats_of(memory, 0),
                          .g = floats_of(memory, 1),
                          .m = floats_of(memory, 2),
                          .v = floats_of(memory, 3),
                          .state = state_of(memory, 4),
                          .beta1 = static_cast<float>(op.beta1),
                          .rest1 = static_cast<float>(1 - op.beta1),
                          .beta2 = static_cast<float>(op.beta2),
                          .rest2 = static_cast<float>(1 - op.beta2),
                          .epsilon = op.epsilon,
                          .weight_decay = op.weight_decay,
                          .clips = op.clips};
  launch_elements(target, "adam_update", adam, op.count, take_packs({adam.w, adam.g, adam.m, adam.v}));
}

}  // namespace

void enter_updates(IssueTable& table) {
  enter<AdvanceStep, AccumulateGradients, ClipGradients, SgdUpdate, AdamUpdate>(
      table, [](const Target& target, const auto& op, const Memory& memory) { issue(target, op, memory); });
}

}  // namespace regatta::engine::cuda
