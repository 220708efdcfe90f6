// What identical code differs by: from clones, for each device and engine (measuring.md, R4 and R5).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/judging/block_values.hpp"
#include "regatta/analysis/contrast.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/stats/clones.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::analysis {

class Floors {
 public:
  /// Judges every clone against the arm it is a clone of, as any two arms; `options` without floor.
  Floors(const results::Results& results, const std::vector<BlockValues>& values, const stats::JudgeOptions& options);

  /// The floor of a contrast of these two trials: the larger one of their engines, as a fraction; 0 if unknown.
  [[nodiscard]] double floor_of(const results::TrialRow& a, const results::TrialRow& b) const;

  /// Log ratio that two processes of the same code differ by.
  [[nodiscard]] double process_effect_of(const results::TrialRow& a, const results::TrialRow& b) const;

  [[nodiscard]] const IdenticalCode& identical() const { return identical_; }
  [[nodiscard]] const std::vector<CloneCheck>& clones() const { return clones_; }

 private:
  [[nodiscard]] stats::JudgeOptions of_both(const results::TrialRow& a, const results::TrialRow& b) const;

  std::map<std::int32_t, stats::ClonePool> of_device_;
  IdenticalCode identical_;
  std::vector<CloneCheck> clones_;
};

}  // namespace regatta::analysis
