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
  const std::optional<analysis::Learning>& learning;  ///< nothing for a sweep that does not train
  std::vector<Group> groups;                          ///< in order of their first trial
  std::vector<const analysis::Contrast*> ratio;       ///< contrast of each trial as `a`, or null
  std::vector<bool> is_baseline;                      ///< for each trial
};

/// Linear in the trials. Keeps references to both arguments.
View view_of(const results::Results& results, const analysis::Findings& findings);

/// What a trial is called among those that it is compared with: "native graph".
std::string arm_of(const View& view, TrialIndex trial);

}  // namespace regatta::report
