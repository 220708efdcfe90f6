// The sessions of a damaged journal, each with a header and a plan again: as far as these are not whole they come from
// the copies at the sessions' ends, from other sessions of the same sweep, or from a sweep that is given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "regatta/results/journal.hpp"
#include "regatta/results/salvage.hpp"

namespace regatta::results {

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
