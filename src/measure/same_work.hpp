// Whether two arms do the same work: what the first steps compute, sample by sample and parameter by parameter.
#pragma once

#include <string>

#include "regatta/protocol/messages.hpp"
#include "regatta/sweep/block_task.hpp"

namespace regatta::measure {

/// Relative to the larger of both (of losses: and 1e-3; of projections: the norm); fp32 over three steps.
inline constexpr double tolerance = 1e-3;
/// Of updates. Wider: Adam's first moves have the size of the rate whatever the gradient's, so the rounding that turns
/// the sign of a gradient near 0 turns a whole move. Gradients and the optimizer's probe are held to `tolerance`.
inline constexpr double update_tolerance = 1e-2;

/// Sums with random signs of what lies apart spread by its norm, so that one of many lies some three times that apart.
/// A relu within rounding of 0 is enough: with one more or less, gradients of bilstm-question that torch and TensorFlow
/// take lie 4e-4 of their norm from those of fp64, and a sum of them 1e-3.
inline constexpr double sum_spread = 3;

/// Of the mean result of each step where the precisions differ: bf16 keeps two digits, and steps build on each other.
inline constexpr double rounded_tolerance = 0.1;

/// How well two trials must agree: not at all where there is nothing to compute or model, data, batch, seed or work
/// differ; apart from rounding where only the precision does, or batches are normalized in other parts.
enum class Agreement { none, rounded, same };
Agreement owed(const sweep::ArmTask& a, const sweep::ArmTask& b);

/// Empty if both reports agree, else where and by how much they differ. Evidence is compared where both have it.
std::string difference(const protocol::Checked& a, const protocol::Checked& b);

/// Of two precisions: the largest relative difference of a step's mean result; infinite where steps or rows differ.
double rounding_apart(const protocol::Checked& a, const protocol::Checked& b);

}  // namespace regatta::measure
