// Cells that were measured again after they were chosen: by what they were chosen counts no more as their figure.
#pragma once

#include <cstddef>
#include <set>
#include <utility>

#include "regatta/results/tables.hpp"

namespace regatta::analysis {

class Replaced {
 public:
  explicit Replaced(const results::Results& results);

  /// Whether this arm of a block was measured again in another one, beside the same baseline. Its own baseline never
  /// was: it stands in all of them.
  [[nodiscard]] bool contains(const results::BlockRow& block, std::size_t arm) const;

 private:
  std::set<std::pair<TrialIndex, TrialIndex>> again_;  ///< baseline, cell
};

}  // namespace regatta::analysis
