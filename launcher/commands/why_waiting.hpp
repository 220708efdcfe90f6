// Why a trial has no result yet, in words.
#pragma once

#include <string>
#include <vector>

#include "regatta/results/open_work.hpp"

namespace regatta::launcher {

/// Whether somebody works on a folder, and who.
struct Activity {
  bool running = false;
  std::string owner;  ///< "process 12 on node1"; empty if it is not known
};

struct WhyOpen {
  TrialIndex trial;
  std::string reason;
};

/// One line about the run as a whole: running, ended, cut off; and what to do.
std::string run_state(const results::OpenWork& work, const Activity& activity);

/// Each trial without a result once, in the plan's order. The journal does not record which block a rank holds: blocks
/// are handed out in the plan's order, and that is what the reasons go by.
std::vector<WhyOpen> why_open(const results::OpenWork& work, const Activity& activity);

}  // namespace regatta::launcher
