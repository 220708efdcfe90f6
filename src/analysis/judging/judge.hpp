// The basis of every comparison of a file, worked out once: the sweep, its axes, slice values and the scatter of pairs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/judging/block_values.hpp"
#include "analysis/judging/judging.hpp"
#include "analysis/judging/spreads.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/stats/verdict.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::analysis {

struct Judge {
  const results::Results& results;
  std::optional<sweep::Sweep> spec;  ///< nothing if another version wrote it
  Axes axes;
  stats::JudgeOptions options;  ///< without a prior
  std::vector<BlockValues> values;
  Spreads spreads;
  std::vector<BlockFindings> findings;  ///< one entry for each block

  /// The metric that the sweep compares by (`measure.metric`).
  [[nodiscard]] sweep::Metric metric() const;

  /// The number of its programs that the sweep compares by, if it does.
  [[nodiscard]] std::optional<sweep::ComparedResult> result() const;
  [[nodiscard]] std::string result_unit() const;  ///< empty where it does not

  /// With what other pairs of such processes showed.
  [[nodiscard]] stats::JudgeOptions options_for(const results::TrialRow& a, const results::TrialRow& b) const;

  /// The same for two arms of a block, with what their pilots showed of calls.
  [[nodiscard]] stats::JudgeOptions options_for(BlockIndex block, std::size_t a, std::size_t b) const;
};

/// Keeps a reference to `results`. Linear in the samples.
Judge judge_of(const results::Results& results);

}  // namespace regatta::analysis
