#include "regatta/analysis/findings.hpp"

#include "analysis/contrasts/contrasts.hpp"
#include "analysis/effects/effects.hpp"
#include "analysis/explain/explanations.hpp"
#include "analysis/judging/judge.hpp"
#include "analysis/ranks/ranks.hpp"

namespace regatta::analysis {

Findings findings_of(const results::Results& results) {
  const Judge judge = judge_of(results);
  Findings found;
  found.contrasts = contrasts(judge);
  found.effects = effects_of(judge, found.contrasts);
  found.explanations = explanations(judge);
  found.fastest = fastest_of(judge, found.contrasts);
  found.ranks = rank_scalings(judge, found.contrasts, found.explanations);
  found.learning = learning_of(results);
  return found;
}

}  // namespace regatta::analysis
