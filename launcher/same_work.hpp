// Whether two arms do the same work: losses of the first steps, sample by sample.
#pragma once

#include <string>
#include <vector>

#include "regatta/sweep/parameters.hpp"

namespace regatta::launcher {

/// Per step, per sample.
using Losses = std::vector<std::vector<double>>;

inline constexpr double loss_tolerance = 1e-3;  ///< relative to the larger of both and 1e-3; fp32 over three steps

/// Whether losses of these two trials must agree: same model, data, batch, seed and precision, both training.
bool comparable(const sweep::Parameters& a, const sweep::Parameters& b);

/// Empty if they agree, else where and by how much they differ.
std::string difference(const Losses& a, const Losses& b);

}  // namespace regatta::launcher
