// Findings around contrasts that a test made or changed.
#pragma once

#include <utility>

#include "analysis/contrasts/contrasts.hpp"
#include "analysis/effects/effects.hpp"
#include "analysis/explain/explanations.hpp"
#include "regatta/analysis/findings.hpp"

namespace regatta::testing_support {

inline analysis::Findings findings_with(const results::Results& results, analysis::Contrasts contrasts) {
  const analysis::Judge judge = analysis::judge_of(results);
  analysis::Findings found;
  found.effects = analysis::effects_of(judge, contrasts);
  found.explanations = analysis::explanations(judge);
  found.fastest = analysis::fastest_of(judge, contrasts);
  found.contrasts = std::move(contrasts);
  found.contrasts.axes = judge.axes;
  return found;
}

}  // namespace regatta::testing_support
