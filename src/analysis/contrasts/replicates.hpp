// Contrasts of one pair of arms under several seeds, repeats or instances, joined into one: the replicates are its
// units (measuring.md R4).
#pragma once

#include <optional>
#include <vector>

#include "analysis/judging/judge.hpp"
#include "regatta/analysis/contrast.hpp"

namespace regatta::analysis {

/// Joins those of one pair of arms whose settings differ in replicate axes only, two at least, in the place of the
/// first. All others stay as they are.
std::vector<Contrast> with_replicates_joined(std::vector<Contrast> contrasts, const Judge& judge);

/// What a joined contrast is judged by.
stats::JudgeOptions replicate_options(const Judge& judge, const Contrast& contrast);

/// The first arm against the second under each seed that both have, at `alpha`; null stands for their baseline. Nothing
/// unless they have two in common.
std::optional<stats::Judgement> judge_joined(const Judge& judge, const Contrast* a, const Contrast* b, double alpha);

}  // namespace regatta::analysis
