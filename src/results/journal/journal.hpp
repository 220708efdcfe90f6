// Journal, sample log, their records, the writer of a run's folder, salvage.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/results/journal.hpp"
#include "regatta/results/salvage.hpp"

namespace regatta::results {

// losses.cpp: The losses from damage of a journal, as far as they can be told.

/// The losses between the records of a scan. Blocks are named, not yet their trials.
std::vector<Loss> losses(const Scan& scan);

/// A result that has lost its samples.
Loss loss_of_samples(const Record& result);

/// Names the trials of blocks that the plan has, and the axes that tell them apart.
void name_trials(Salvaged& salvaged, const Record& plan);

// pieces.cpp: A journal's bytes as its whole records and the damage between them. Every reader of a journal uses this;
// the caller decides which records may be missing.

Scan pieces_of(std::string_view bytes);

// whole_sessions.cpp: The sessions of a damaged journal, each with a header and a plan again: as far as these are not
// whole they come from the copies at the sessions' ends, from other sessions of the same sweep, or from a sweep that
// is given.

struct WholeSessions {
  std::vector<Record> records;
  std::vector<std::string> made_anew;  ///< "the plan of session 1, from its copy in record 9"
  std::vector<std::string> given_up;  ///< "the plan of session 1": its results count with a plan of later sessions only
  bool has_plan = false;              ///< some session has one
  bool fits_given = false;            ///< the sweep that is given is that of a session
};

/// `lost` is what lies between the records; `name` is the sweep's where no record tells it.
WholeSessions whole_sessions(std::vector<Record> records, const std::vector<LostPiece>& lost, const GivenSweep* given,
                             const std::string& name);

}  // namespace regatta::results
