// Finals in a journal. Their record names their arms, and their identity is made of these: a journal needs no plan that
// holds them.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "regatta/base/digest.hpp"
#include "regatta/results/journal.hpp"
#include "regatta/results/records.hpp"
#include "regatta/sweep/origins.hpp"
#include "regatta/sweep/plan.hpp"

namespace regatta::results {

/// Knows the finals of a plan's cells.
class FinalReader {
 public:
  /// Keeps a reference to the plan.
  explicit FinalReader(const sweep::Plan& plan);

  /// The block that was recorded, if it is a final of cells of this plan.
  [[nodiscard]] std::optional<sweep::Block> final_in(const BlockRecord& record) const;

 private:
  const sweep::Plan& plan_;
  std::unordered_map<Hash128, TrialIndex> trials_;
};

struct Finals {
  std::vector<sweep::Block> blocks;  ///< the finals that count: of each setting the last that was measured to its end
  HashSet others;                    ///< finals of the plan that were chosen before these, cut off, or changed since
};

/// The finals that the journal holds of this plan's cells. One counts no more where an arm's origin is another `now`,
/// unless what has changed is kept.
Finals recorded_finals(const Scan& journal, const sweep::Plan& plan, const sweep::Origins& now, bool keeps_changed);

}  // namespace regatta::results
