// Who is measured beside whom, as numbers of trials: a few bytes for each arm.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sweep/plan/expand.hpp"

namespace regatta::sweep {

/// A line about trials that have no contrast.
struct NoContrastNumbers {
  std::vector<std::uint32_t> trials;
  std::string reason;
};

/// Blocks without their clones.
struct Arrangement {
  std::vector<std::uint32_t> arms;  ///< trials of all blocks, one block after the other
  std::vector<std::uint32_t> ends;  ///< of each block's arms
  std::vector<bool> has_baseline;   ///< a block's first arm is the baseline of the others
  std::vector<NoContrastNumbers> no_contrasts;

  [[nodiscard]] std::size_t blocks() const { return ends.size(); }
  [[nodiscard]] std::span<const std::uint32_t> arms_of(std::size_t block) const {
    const std::size_t begin = block == 0 ? 0 : ends[block - 1];
    return {arms.data() + begin, ends[block] - begin};
  }
};

/// Throws InputError if the comparison does not fit the axes, or its baseline matches no arm or several.
Arrangement arrange(const Sweep& sweep, const Points& points, Kinds& kinds, const Expansion& expansion);

/// So many of the blocks with a baseline have it a second time.
std::size_t clones_wanted(std::size_t contrasts);

}  // namespace regatta::sweep
