// The squares of a contrast as block values, and which of them are replicates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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
  double quantile = 0;             ///< the quantile that is compared; 0: time per work is
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
  std::vector<Block> squares;
};

/// In the order of time.
std::vector<Pair> pairs_of(const std::vector<Block>& squares);

/// The pairs that count: the last one only if it has as many squares as the shortest other. Where a quantile is
/// compared, so many of them together as have enough calls of each arm.
std::vector<Pair> closed_pairs(const std::vector<Block>& squares);

/// The part of the variance of a pair's log ratio that its squares explain, from how squares scatter inside all of
/// these pairs; 0 where pairs are single squares, or quantiles are compared: then pairs show it themselves.
double within_variance(std::span<const Pair> pairs);

/// The median over the squares of a pair: what it is without stalls.
double typical_log_ratio(const Pair& pair);

/// The same part of the variance of that median, from how far apart typical squares of one pair are.
double typical_within_variance(std::span<const Pair> pairs);

double log_ratio(const Block& block);
/// NaN if a slice has no median.
double median_steps_log_ratio(const Block& block);

}  // namespace regatta::stats
