// Which blocks have taken their rank or node down, by what the journal says of sessions that were cut off.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "regatta/base/digest.hpp"
#include "regatta/results/journal.hpp"

namespace regatta::results {

/// The violent ends of sessions that a block was running in.
struct RankDeaths {
  std::int64_t count = 0;
  std::string host;        ///< of the rank that ran it last
  bool was_alone = false;  ///< at one of them no other block was handed out: no other can have done it
};

/// By block, since its last result: an end counts where nobody had asked for it. Of the blocks that a rank held, the
/// one is blamed that was handed to it first. A rank that dies ends the whole job, so blocks of other ranks are blamed
/// with it; they clear themselves by running alone. Nobody may be writing the journal now.
std::map<Hash128, RankDeaths> rank_deaths(const Scan& journal);

}  // namespace regatta::results
