// Time of a sample of one trial over that of another, judged from a block in which both took turns.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/judging/judge.hpp"
#include "regatta/analysis/contrast.hpp"

namespace regatta::analysis {

struct RankPair {
  JudgedRatio ratio;
  bool interval_counts = true;
  double e_value = 1;        ///< evidence for a difference
  bool is_contrast = false;  ///< the sweep's own, judged among all of them
};

/// Where a trial stood in a block.
struct ArmPlace {
  BlockIndex block;
  std::size_t arm = 0;
};

/// The contrasts and samples that pairs are judged from.
struct RankEvidence {
  const Judge& judge;
  std::map<std::pair<TrialIndex, TrialIndex>, const Contrast*> contrasts;  ///< the sweep's own, by a and b
  std::vector<std::vector<ArmPlace>> places;  ///< by trial, in the order of blocks; without clones
};

/// Keeps references to both.
RankEvidence rank_evidence(const Judge& judge, const Contrasts& contrasts);

/// Nothing if no block of a comparison holds both, or they share no square.
std::optional<RankPair> judged_pair(const RankEvidence& evidence, TrialIndex a, TrialIndex b);

/// Takes back differences that so many looks would find anyway; each list of pairs is a family (R12).
void take_back_chance_finds(const std::vector<std::vector<RankPair*>>& families, const Judge& judge);

}  // namespace regatta::analysis
