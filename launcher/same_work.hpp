// Whether two arms do the same work: what the first steps compute, sample by sample.
#pragma once

#include <string>
#include <vector>

#include "regatta/sweep/parameters.hpp"

namespace regatta::launcher {

/// Per step: the loss of each sample or, without a loss, a sum over each row of the output (docs/worker-protocol.md,
/// "checked").
using Losses = std::vector<std::vector<double>>;

inline constexpr double tolerance = 1e-3;  ///< relative to the larger of both and 1e-3; fp32 over three steps

/// Whether these two trials must compute the same: same model, data, batch, seed, precision and work, and there is
/// something to compute.
bool comparable(const sweep::Parameters& a, const sweep::Parameters& b);

/// Empty if both reports agree, else where and by how much they differ.
std::string difference(const Losses& a, const Losses& b);

}  // namespace regatta::launcher
