// Findings as every form of the report needs them: with the groups of trials that are compared, and their ratios.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "regatta/analysis/findings.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::report {

/// Trials that differ only in what is compared.
struct Group {
  std::string label;  ///< "digits-mlp batch 32"; empty if nothing else varies
  std::vector<TrialIndex> trials;
};

struct View {
  const results::Results& results;
  const analysis::Contrasts& contrasts;
  const analysis::Axes& axes;
  const analysis::Effects& effects;
  const std::vector<analysis::Explanation>& explanations;
  const std::vector<analysis::Fastest>& fastest;
  const std::vector<analysis::RankScaling>& ranks;
  const std::optional<analysis::Learning>& learning;  ///< nothing for a sweep that does not train
  std::vector<Group> groups;                          ///< in order of their first trial
  std::vector<const analysis::Contrast*> ratio;       ///< contrast of each trial as `a`, or null
  std::vector<bool> is_baseline;                      ///< for each trial
};

/// Linear in the trials. Keeps references to both arguments.
View view_of(const results::Results& results, const analysis::Findings& findings);

/// The axes that a table of all trials has as columns: the compared ones, then the others. Axes with one level are left
/// out, unless nothing else is left.
std::vector<sweep::Param> table_axes(const View& view);

/// The axes that are compared, and those that tell replicates apart: where settings stand above the rows, these are
/// columns.
std::vector<sweep::Param> arm_axes(const View& view);

/// Whether each trial has a setting of its own: then a heading for each would be as many headings as rows.
bool each_stands_alone(const View& view);

/// Whether a trial has this metric: a column that nobody has a value for says nothing.
bool any_has(const View& view, const std::string& metric);

/// The trial of an arm; for replicates the first one, with the median over all of them of each metric.
results::TrialRow typical_trial(const View& view, const analysis::Contrast* contrast, TrialIndex first,
                                TrialIndex analysis::Contrast::Replicate::*arm);

/// The name of a trial among those that it is compared with: "native graph".
std::string arm_of(const View& view, TrialIndex trial);

}  // namespace regatta::report
