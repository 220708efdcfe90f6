// What follows in the same run once every block was measured: passes over some of them, each in fresh processes.
#pragma once

#include <optional>
#include <string>

#include "job/job.hpp"

namespace regatta::launcher {

struct Pass {
  Rerun rerun = Rerun::nothing;   ///< what is measured: the best again, or what is undecided on
  std::optional<double> seconds;  ///< of `measure.total` that are left for it
  std::string why;                ///< one line for people
};

/// The passes of this run until now.
struct PassesTaken {
  int again = 0;
  int on = 0;
  bool best_are_settled = false;
  double replaced_seconds = 0;  ///< measuring time of figures that others have replaced
};

/// Whether this run measures recorded blocks again or on by itself, without being asked with --rerun.
bool takes_passes(const Job& job);

/// Whether the last session of such a run may have left a pass to the next one.
bool passes_due(const Job& job);

/// The pass that is next by what is recorded now, and counts it as taken: the best of many cells again, then what is
/// undecided, as far as `measure.total` goes. Nothing while blocks are missing.
std::optional<Pass> next_pass(const Job& job, PassesTaken& taken);

/// The job of a pass: the same plan, its blocks opened as the pass says.
Job job_of(Job job, const Pass& pass);

}  // namespace regatta::launcher
