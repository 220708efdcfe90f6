// A run goes on over any number of sessions of its sweep, and over the lives of its batch job: each life is a session
// of the journal, or several. The passes that it has taken, and the blocks that have ended a session, stand in the
// journal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "regatta/base/digest.hpp"
#include "regatta/results/journal.hpp"
#include "regatta/results/records.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::results {

// passes_taken.cpp: The run of a sweep, until a session leaves no pass to the next.

/// How sessions until now leave the run of this sweep. Passes are due if the last session, of whatever sweep, or the
/// last of this one says so, or was cut off. A session that was cut off took no pass to its end.
SessionEndRecord left_by_sessions(const Scan& journal, const sweep::Sweep& sweep);

/// Wall time that the sessions of this sweep's run took, each from its first block to its last, replaced results
/// included.
double wall_seconds_of_run(const Scan& journal, const sweep::Sweep& sweep);

// rank_deaths.cpp: Blocks that have taken their rank or node down, by what the journal says of sessions that were cut
// off.

/// The violent ends of sessions that a block was running in.
struct RankDeaths {
  std::int64_t count = 0;
  std::string host;        ///< where the rank was that ran it last
  bool was_alone = false;  ///< at one of them no other block was handed out: no other can have done it
};

/// By block, since its last result: an end counts where nobody had asked for it. Of the blocks that a rank held, the
/// one is blamed that was handed to it first. A rank that dies ends the whole job, so blocks of other ranks are blamed
/// with it; they clear themselves by running alone. Nobody may be writing the journal now.
std::map<Hash128, RankDeaths> rank_deaths(const Scan& journal);

// lives.cpp: The sessions of one run.

/// How many sessions in a row, up to the last one, recorded nothing new: no result, no failed attempt, and no block
/// that took its rank down. Nobody may be writing the journal now.
std::size_t fruitless_sessions(const Scan& journal);

/// When the first session of the last run began, by the wall clock, if that was a `--rerun failed`.
std::optional<double> rerun_since(const Scan& journal);

}  // namespace regatta::results
