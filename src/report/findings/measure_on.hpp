// The command that goes on with comparisons that are open, with the time that they are expected to need.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regatta/analysis/contrast.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::report {

/// The command that goes on with the run, as it was given: with its --out, --set and --only, but without
/// what was to be measured again that time and for how long. Where that is not known,
/// or holds what means something to a shell, "regatta run SWEEP".
std::string run_command(const results::Provenance& provenance);

/// A command that names fewer ranks, with so many; one that names none, or as many, as it is.
std::string with_ranks(const std::string& command, std::int64_t ranks);

/// The comparisons without a verdict, which more time helps. If all have one, the comparisons that are not as precise
/// as the sweep asks.
std::vector<const analysis::Contrast*> helped_by_time(const analysis::Contrasts& contrasts);

/// Seconds that these need together. 0 where nothing tells.
double seconds_needed(const std::vector<const analysis::Contrast*>& contrasts);

/// "regatta run SWEEP --rerun undecided --for 6m", with the time that all helped_by_time() need together.
std::string measure_on(const results::Results& results, const analysis::Contrasts& contrasts);

/// Comparisons whose verdict more pairs of processes would confirm.
std::vector<const analysis::Contrast*> early_answers(const analysis::Contrasts& contrasts);

/// "regatta run SWEEP --rerun early --for 6m", with the time that enough pairs of these take.
std::string confirm_early(const results::Results& results, const std::vector<const analysis::Contrast*>& early);

/// "2 min", "40 s".
std::string about_time(double seconds);

}  // namespace regatta::report
