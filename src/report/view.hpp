// What every form of the report needs, found once: groups of trials that are compared, and their ratios.
#pragma once

#include <string>
#include <vector>

#include "regatta/analysis/contrasts.hpp"
#include "regatta/analysis/effects.hpp"
#include "regatta/analysis/explanations.hpp"
#include "regatta/analysis/fastest.hpp"
#include "regatta/analysis/labels.hpp"
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
  analysis::Axes axes;
  analysis::Effects effects;
  std::vector<Group> groups;                     ///< in order of their first trial
  std::vector<const analysis::Contrast*> ratio;  ///< of each trial as `a`, or null
  std::vector<bool> is_baseline;                 ///< of each trial
  std::vector<analysis::Explanation> explanations;
  std::vector<analysis::Fastest> fastest;
};

/// Linear in the trials and samples. Keeps references to both arguments.
View view_of(const results::Results& results, const analysis::Contrasts& contrasts);

}  // namespace regatta::report
