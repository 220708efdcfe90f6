// The squares of a contrast as block values, and which of them are replicates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "regatta/stats/contrast_slices.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::stats {

/// One arm in one square, or in several.
struct ArmTotals {
  double seconds = 0;
  double work = 0;
  double median_step_seconds = 0;  ///< summed over slices
  std::size_t slices = 0;
  bool medians_known = true;
  std::vector<double> calls = {};  ///< where a quantile of single calls is compared
  double quantile = 0;             ///< which one; 0: time per work is
};

struct Block {
  ArmTotals a, b;
  std::size_t pair = 0;  ///< pair of processes, counted from 0
  bool disturbed = false;
  std::uint32_t process_a = 0;  ///< the first process of each arm, counted from 0
  std::uint32_t process_b = 0;
};

/// The complete squares in the order of their numbers.
std::vector<Block> complete_squares(const ContrastSlices& contrast);

Block joined(const std::vector<Block>& blocks);

/// The squares of a pair of processes together.
struct Pair {
  Block total;
  std::size_t squares = 0;
};

/// In the order of time.
std::vector<Pair> pairs_of(const std::vector<Block>& squares);

/// What the interval rests on.
struct Units {
  std::vector<Block> blocks;
  std::size_t process_pairs = 0;
  bool widened = false;  ///< blocks of few pairs: the process effect is not among them
};

/// Pairs, or squares where there are fewer than 7 complete pairs; where a quantile is compared, as many of them
/// together as have enough calls of each arm.
Units replicates(const std::vector<Block>& squares, std::size_t enough_pairs = rules::enough_process_pairs);

double log_ratio(const Block& block);
/// NaN if a slice has no median.
double median_steps_log_ratio(const Block& block);

}  // namespace regatta::stats
