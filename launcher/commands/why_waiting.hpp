// Why a trial has no result yet, in words.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "regatta/results/open_work.hpp"

namespace regatta::launcher {

/// Whether somebody works on a folder, and who.
struct Activity {
  bool running = false;
  std::string owner = {};   ///< "process 12 on node1"; empty if it is not known
  std::string queued = {};  ///< the job in the queue that will, in words; empty: none, or not asked
};

Activity activity_of(const std::filesystem::path& folder);

struct WhyOpen {
  TrialIndex trial;
  std::string reason;
};

/// One line about the run as a whole: running, ended, cut off; and what to do.
std::string run_state(const results::OpenWork& work, const Activity& activity);

/// Says that a pass over the best or the undecided is or may be due while nobody measures; empty otherwise.
std::string pass_due(const results::OpenWork& work, const Activity& activity);

/// Trials without a result that are measured now.
std::set<TrialIndex> running_trials(const results::OpenWork& work, const Activity& activity);

/// Each trial without a result once, in the plan's order. Where the journal does not tell which slot holds a block, the
/// reasons go by the plan's order, in which blocks are handed out.
std::vector<WhyOpen> why_open(const results::OpenWork& work, const Activity& activity);

}  // namespace regatta::launcher
