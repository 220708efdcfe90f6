// The command that goes on with comparisons that are open, with the time that they are expected to need.
#pragma once

#include <cstdint>
#include <string>

#include "regatta/analysis/contrast.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::report {

/// The command that goes on with the run, as it was given: with its --out, --set and --only, but without
/// what was to be measured again that time and for how long. Where that is not known,
/// or holds what means something to a shell, "regatta run SWEEP".
std::string run_command(const results::Provenance& provenance);

/// A command that names fewer ranks, with so many; one that names none, or as many, as it is.
std::string with_ranks(const std::string& command, std::int64_t ranks);

/// Seconds that all comparisons need that `--rerun undecided` goes on with: those without a verdict, and those that are
/// not as precise as the sweep asks. 0 where nothing tells.
double seconds_to_go_on(const analysis::Contrasts& contrasts);

/// Whether `--rerun undecided` goes on with it.
bool is_open(const analysis::Contrast& contrast);

/// "regatta run SWEEP --rerun undecided --for 6m", for all open comparisons together.
std::string measure_on(const results::Results& results, const analysis::Contrasts& contrasts);

/// "2 min", "40 s".
std::string about_time(double seconds);

}  // namespace regatta::report
