// Ratios between the arms of a block, from the recorded samples alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::analysis {

/// time(a) / time(b) with a plain interval: Student's t on log ratios of slice values paired by round, 95 %.
struct Contrast {
  TrialIndex a;
  TrialIndex b;  ///< the baseline
  BlockIndex block;
  double ratio = 0;
  std::optional<double> low;  ///< nothing below three rounds
  std::optional<double> high;
  std::int64_t rounds = 0;
  bool per_sample = false;  ///< time per sample because the batches differ
  std::vector<std::string> flags;
  std::string verdict;  ///< empty until verdicts exist (measuring.md); never invented here
  std::string text;     ///< the sentence a person reads
};

/// Arms without a contrast, and why ("no baseline here: ...").
struct NoContrast {
  std::vector<TrialIndex> trials;
  std::string reason;
};

struct Contrasts {
  std::vector<Contrast> contrasts;
  std::vector<NoContrast> missing;
};

Contrasts contrasts(const results::Results& results);

}  // namespace regatta::analysis
