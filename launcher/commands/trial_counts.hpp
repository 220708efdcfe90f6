// The counts of `regatta status`: how many trials of a run are in which state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/why_waiting.hpp"
#include "regatta/results/open_work.hpp"

namespace regatta::launcher {

/// How fast the session that runs comes along: learnt from the blocks that it has recorded.
struct Pace {
  std::size_t blocks_done = 0;  ///< in this session
  std::size_t blocks_open = 0;
  double blocks_per_second = 0;
  double left_seconds = 0;  ///< until all that is open now is done; passes may follow
};

struct TrialCounts {
  std::string name;
  std::size_t trials = 0;
  std::size_t finished = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
  std::size_t open = 0;      ///< without a result: waiting, running, or cut off
  std::size_t running = 0;   ///< among the open ones
  std::string pass_due;      ///< why; empty if none is
  std::optional<Pace> pace;  ///< nothing where no block of the session is done, or nothing runs
  std::vector<results::SessionRow> sessions;
  std::string training;  ///< how far it is, as JSON; empty for a sweep that trains nothing
};

TrialCounts count_trials(const results::OpenWork& work, const Activity& activity, double now_wall_seconds);

/// "3 blocks done in this session, 12 a minute; 4 blocks left, about 20 s"; before the first is done, that the time
/// left is not known yet.
std::string pace_text(const TrialCounts& counts);

/// One line for people.
std::string to_text(const TrialCounts& counts);

/// One line for programs (docs/reference/results.md).
std::string to_json(const TrialCounts& counts);

}  // namespace regatta::launcher
