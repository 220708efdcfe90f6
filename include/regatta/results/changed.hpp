// Recorded rows that are not those of today: what they were measured with has changed since, or what the sweep says.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/base/digest.hpp"
#include "regatta/base/ids.hpp"
#include "regatta/results/journal.hpp"
#include "regatta/stats/pair_spreads.hpp"
#include "regatta/sweep/origins.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::results {

/// The changes of each arm of a block, in words.
using ChangedArms = std::vector<std::vector<std::string>>;
using ChangedBlocks = std::map<Hash128, ChangedArms>;

/// The plan's recorded blocks with an arm whose origin is another `now`. Origins that a session did not tell count as
/// unchanged.
ChangedBlocks changed_blocks(const Scan& journal, const sweep::Plan& plan, const sweep::Origins& now);

/// The origins that the last session began with.
struct LastOrigins {
  sweep::Origins origins;
  bool keeps_changed = false;
};
LastOrigins last_origins(const Scan& journal);

/// How pairs of runs before the first session scattered; nothing before that session.
std::optional<stats::SpreadPool> spreads_before(const Scan& journal);

/// Trials in whose place the plan recorded last has others: the sweep said something else of their program or model.
struct OtherWords {
  std::string what;  ///< "the arguments of the command solve"
  std::vector<TrialIndex> trials;
};
std::vector<OtherWords> other_words(const std::filesystem::path& folder, const Scan& journal, const sweep::Sweep& sweep,
                                    const sweep::Plan& plan);

}  // namespace regatta::results
