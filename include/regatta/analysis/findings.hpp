// Everything that analysis finds in one file of results, found once: terminal, page, JSON document and further passes
// share it.
#pragma once

#include <optional>
#include <vector>

#include "regatta/analysis/contrast.hpp"
#include "regatta/analysis/effect.hpp"
#include "regatta/analysis/explanations.hpp"
#include "regatta/analysis/fastest.hpp"
#include "regatta/analysis/learning.hpp"
#include "regatta/analysis/rank_scaling.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::analysis {

struct Findings {
  Contrasts contrasts;
  Effects effects;
  std::vector<Explanation> explanations;
  std::vector<Fastest> fastest;
  std::vector<RankScaling> ranks = {};    ///< the gain from more ranks of a trial
  std::optional<Learning> learning = {};  ///< nothing for a sweep that does not train
};

/// Linear in trials and samples; clones and intervals are judged once.
Findings findings_of(const results::Results& results);

}  // namespace regatta::analysis
