// Whether two arms do the same work: what the first steps compute, sample by sample and parameter by parameter.
#pragma once

#include <string>

#include "regatta/protocol/messages.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::launcher {

/// Relative to the larger of both (of losses: and 1e-3; of projections: the norm); fp32 over three steps.
inline constexpr double tolerance = 1e-3;
/// Of updates. Wider: Adam's first moves have the size of the rate whatever the gradient's, so the rounding that turns
/// the sign of a gradient near 0 turns a whole move. Gradients and the optimizer's probe are held to `tolerance`.
inline constexpr double update_tolerance = 1e-2;

/// Whether these two trials must compute the same: same model, data, batch, seed, precision and work, and there is
/// something to compute.
bool comparable(const sweep::Parameters& a, const sweep::Parameters& b);

/// Empty if both reports agree, else where and by how much they differ. Evidence is compared where both have it.
std::string difference(const protocol::Checked& a, const protocol::Checked& b);

}  // namespace regatta::launcher
