// The fastest cells of each setting. They are a set: a cell that cannot be told from the best is not slower. Also tells
// whether the figures of a cell are the ones that it was chosen by (measuring.md R12).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "regatta/analysis/contrasts.hpp"
#include "regatta/base/ids.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::analysis {

struct Fastest {
  std::string where;               ///< the setting; empty if nothing but the arms varies
  std::size_t cells = 0;           ///< cells that were compared, the baseline among them
  std::vector<TrialIndex> trials;  ///< not known to be slower than the first one, for all cells together
  std::size_t unsure = 0;      ///< the last of them: slower where one cell alone is asked about, or without an interval
  std::size_t distrusted = 0;  ///< the last of those: their whole interval says slower, but that is not decided
  std::size_t measured_again = 0;       ///< cells
  std::vector<TrialIndex> unconfirmed;  ///< the others that were not measured again, while some were
  std::vector<TrialIndex> due;          ///< arms of a final that is to be measured still, the baseline first
};

/// One for each setting in which all cells were measured against the same baseline, in order of their blocks. Arms
/// whose work is close and not verified are no cells. The truly fastest cell is in the set with 95 %: cells of one
/// block are compared in the squares that they share, others over the baseline, and all exclusions together may err in
/// 5 %. Those that a final holds are compared in its squares alone. Linear in the samples.
std::vector<Fastest> fastest_of(const results::Results& results, const Contrasts& contrasts);

}  // namespace regatta::analysis
