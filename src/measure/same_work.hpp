// Whether two arms do the same work: what the first steps compute, sample by sample and parameter by parameter.
#pragma once

#include <array>
#include <string>

#include "measure/results_apart.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/sweep/block_task.hpp"

namespace regatta::measure {

/// How well two trials must agree: not at all where there is nothing to compute or model, data, batch, seed or work
/// differ; apart from the rounding of the coarser precision where they differ in that; apart from the mean where
/// batches are normalized in other parts.
enum class Agreement { none, in_the_mean, rounded, same };
Agreement owed(const sweep::ArmTask& a, const sweep::ArmTask& b);

/// How far mean results of a step may differ where batches are normalized in other parts: steps build on each other.
inline constexpr double mean_tolerance = 0.1;

/// How far updates that optimizers make of the same gradients in fp32 may differ.
inline constexpr double probe_tolerance = 1e-3;

/// How far results may lie apart, relative. Up to the first three it is the same work; up to the others it is close.
struct Tolerances {
  double loss;
  double gradient;  ///< also of the norm of all gradients together
  double update;    ///< wider: Adam's first moves have the size of the rate, so that a sign turns a whole move
  double close_loss;
  double close_gradient;
};

/// By number type. Losses of fp32 may lie as far apart as a quarter of what a batch norm with epsilon 1e-4 for 1e-5
/// moves. The others follow what one rounding of their type is (2^-11, 2^-11, 2^-8): products are summed in fp32, so
/// that few of them add up.
inline constexpr std::array<Tolerances, protocol::number_type_names.size()> tolerance_table = {{
    {2e-5, 1e-3, 1e-2, 0, 5e-2},
    {4e-3, 2e-2, 5e-2, 0, 5e-2},
    {4e-3, 2e-2, 5e-2, 0, 5e-2},
    {3e-2, 5e-2, 0.15, 0, 0.15},
}};
Tolerances tolerances_of(protocol::NumberType type, const sweep::SameWork& widened);

/// The coarser one of what the sweep declares and what the arm's own model is made of.
protocol::NumberType number_type(const sweep::ArmTask& task, const protocol::Checked& checked);

/// A loss that lies further apart than this many of the arm's own roundings is no rounding.
inline constexpr double most_rounding = 10;
/// A tensor may lie this many of its own sensitivities apart, which are the largest of three batches. The set of relus
/// that flip is chance: other kernels moved tensors by up to 4.2 of them, weight decay of 1e-4 its worst tensor by at
/// least 14.8 (two residual networks, batches 32 to 256).
inline constexpr double tensor_spread = 8;
/// Or this many of the largest sensitivity of all tensors: a relu may flip near a tensor where none did in the draws.
inline constexpr double model_spread = 2;

struct Answer {
  sweep::Verified verified = sweep::Verified::yes;
  std::string detail;  ///< where and by how much they differ; empty if they do the same work
};

/// Evidence is compared where both have it. `sensitivity` is that of the coarser arm; an empty one is not known, and
/// then every step must agree within the tolerances.
Answer compared(const protocol::Checked& expected, const protocol::Checked& its, const Tolerances& tolerances,
                const Sensitivity& sensitivity);

/// As `compared`, of two models of a user's own that keep their weights in other tensors: two engines, say. Losses and
/// the optimizer count as there; gradients and updates count by norms, the largest against the largest. Where one model
/// has more tensors only the norms of all together count, and the answer is close at best.
Answer compared_in_any_layout(const protocol::Checked& expected, const protocol::Checked& its,
                              const Tolerances& tolerances, const Sensitivity& sensitivity);

/// The side that is off, by the first step of both in double precision; empty where that tells nothing.
std::string side_that_is_off(const protocol::Checked& expected, const protocol::Checked& its,
                             const protocol::Checked& exact_expected, const protocol::Checked& exact_its,
                             const Tolerances& tolerances);

}  // namespace regatta::measure
