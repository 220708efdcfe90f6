// A run goes on, over any number of sessions of its sweep, until one of them leaves no pass to the next. The passes
// that it has taken by then stand in the journal.
#pragma once

#include "regatta/results/journal.hpp"
#include "regatta/results/records.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::results {

/// How sessions until now leave the run of this sweep. Passes are due if the last session, of whatever sweep, or the
/// last of this one says so, or was cut off. A session that was cut off took no pass to its end.
SessionEndRecord left_by_sessions(const Scan& journal, const sweep::Sweep& sweep);

/// Wall time that the sessions of this sweep's run took, each from its first block to its last, replaced results
/// included.
double wall_seconds_of_run(const Scan& journal, const sweep::Sweep& sweep);

}  // namespace regatta::results
