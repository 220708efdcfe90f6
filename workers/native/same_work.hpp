// The values that engines are compared by, to show that they do the same work.
#pragma once

#include <span>
#include <vector>

#include "arm.hpp"
#include "regatta/protocol/messages.hpp"

namespace regatta::worker {

/// Per step from the initial weights, dropout off: the loss of each sample or, for a step without a loss, of each row
/// of the output the sum of |output j| / (j + 1), negative outputs counted twice; for training also the evidence that
/// is asked for. The arm is left as it was.
protocol::Checked check(const Arm& arm, const protocol::Check& request);

/// The norm, and sums with random signs: bit k of byte i % 8 of random_bits(seed, i / 8) is the sign of element i in
/// sum k (set: plus).
std::vector<double> projections(std::span<const double> values, std::uint64_t seed);

}  // namespace regatta::worker
