// What holds for every verdict, on two arms of a sweep as on two sessions of a trial.
#pragma once

#include <string>
#include <vector>

#include "regatta/stats/clones.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::analysis {

/// Whether one of these flags leaves it undecided: cores that others share make every verdict a matter of luck, slices
/// that are all disturbed show no arm by itself (R18).
bool forbid_verdict(const std::vector<std::string>& flags);

struct Difference {
  stats::Verdict verdict;
  double ratio;
  double delta;  ///< log of what counts as no difference
};

/// Whether it reads "faster" and not "faster?": differences that many looks would find anyway are no discovery (R12),
/// and small ones are doubted where identical code was told apart (R5). Other verdicts claim no difference and survive.
bool survives(const Difference& difference, bool is_discovery, const stats::CloneChecks& identical);

}  // namespace regatta::analysis
