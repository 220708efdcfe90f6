// How far a run is, and what happened since the last look.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/protocol/messages.hpp"

namespace regatta::dispatch {

/// A trial in several blocks counts with its first.
struct Progress {
  std::size_t blocks = 0;                             ///< blocks of the plan
  std::size_t blocks_done = 0;                        ///< earlier sessions' included
  std::size_t failed_arms = 0;                        ///< since the run began or went on
  std::size_t undecided = 0;                          ///< comparisons without a verdict, since then
  std::map<AgentId, std::deque<BlockIndex>> granted;  ///< in the order in which they are run: the first one runs
  std::size_t interrupted = 0;                        ///< since then: a later run goes on with them
  std::size_t too_large = 0;                          ///< kept from earlier, and no agent here can go on with them
  std::string too_large_reason = {};                  ///< why the last one cannot
  bool stopped_by_failures = false;                   ///< as many arms failed as limits.failures allows
  std::size_t too_long = 0;                           ///< not begun, because there is not time enough; once all ended
};

/// A block that is done.
struct BlockNews {
  BlockIndex block;
  std::optional<AgentId> agent;  ///< nobody: it was given up or refused
  double seconds = 0;
  std::size_t failed_arms = 0;
  std::size_t undecided = 0;
};

/// The stand of the block that an agent runs, as it reports it.
struct StandNews {
  AgentId agent;
  protocol::BlockStand stand;
};

/// Events since the last look.
struct News {
  std::vector<BlockNews> done = {};
  std::vector<StandNews> stands = {};
};

}  // namespace regatta::dispatch
