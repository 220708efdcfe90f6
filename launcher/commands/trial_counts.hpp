// What `regatta status` says of a run: how many trials are where.
#pragma once

#include <string>
#include <vector>

#include "commands/why_waiting.hpp"
#include "regatta/results/open_work.hpp"

namespace regatta::launcher {

struct TrialCounts {
  std::string name;
  std::size_t trials = 0;
  std::size_t finished = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
  std::size_t open = 0;     ///< without a result: waiting, running, or cut off
  std::size_t running = 0;  ///< of the open ones
  std::string pass_due;     ///< why; empty if none is
  std::vector<results::SessionRow> sessions;
  std::string training;  ///< how far it is, as JSON; empty for a sweep that trains nothing
};

TrialCounts count_trials(const results::OpenWork& work, const Activity& activity);

/// One line for people.
std::string to_text(const TrialCounts& counts);

/// One line for programs (docs/results.md).
std::string to_json(const TrialCounts& counts);

}  // namespace regatta::launcher
