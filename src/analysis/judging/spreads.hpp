// How pairs of processes scatter in a file, for each device and pair of engines, and what clones showed (measuring.md,
// R4 and R5).
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/judging/block_values.hpp"
#include "regatta/analysis/contrast.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/stats/pair_spreads.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::analysis {

class Spreads {
 public:
  /// Reads every contrast and clone of the file by itself; `options` without a prior.
  Spreads(const results::Results& results, const std::vector<BlockValues>& values, const stats::JudgeOptions& options);

  /// The prior for arm `a` against arm `b` of a block. It comes from all other contrasts of such processes on this
  /// device, and from those of earlier runs.
  [[nodiscard]] stats::SpreadPrior prior_of(BlockIndex block, std::size_t a, std::size_t b) const;

  /// The same of two trials that share no block.
  [[nodiscard]] stats::SpreadPrior prior_of(const results::TrialRow& a, const results::TrialRow& b) const;

  /// All devices together.
  [[nodiscard]] stats::SpreadPool pool() const;

  [[nodiscard]] const IdenticalCode& identical() const { return identical_; }
  [[nodiscard]] const std::vector<CloneCheck>& clones() const { return clones_; }

 private:
  [[nodiscard]] stats::SpreadHistory history_of(const results::TrialRow& a, const results::TrialRow& b) const;
  void judge_clones(const std::vector<BlockValues>& values, const stats::JudgeOptions& options);

  const results::Results& results_;
  std::map<std::int32_t, stats::SpreadPool> of_device_;
  std::map<std::pair<std::uint32_t, std::size_t>, stats::SpreadHistory> own_;  ///< by block and arm
  IdenticalCode identical_;
  std::vector<CloneCheck> clones_;
};

}  // namespace regatta::analysis
