// The passes that follow in the same run once every block was measured: over some of the blocks, each in fresh
// processes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "job/job.hpp"
#include "job/open_blocks.hpp"
#include "regatta/results/records.hpp"

namespace regatta::launcher {

/// A pass among those that a run takes; the first measures all that is open.
struct PassNumber {
  std::size_t number = 1;
  std::size_t at_most = 1;  ///< as far as is known now
};

struct Pass {
  Rerun rerun =
      Rerun::nothing;  ///< the blocks to measure: the best again, undecided or early ones on, or the same code twice
  std::optional<double> seconds;  ///< time of `measure.total` that is left for it
  std::string why;                ///< one line for people
  OpenBlocks open = {};           ///< its blocks
  PassNumber number = {};
};

/// Whether this run measures recorded blocks again or on by itself, without being asked with --rerun.
bool takes_passes(const Job& job);

/// Whether earlier sessions of such a run may have left a pass to the next one.
bool passes_due(const Job& job, const results::Scan& journal);

/// The passes of a run, which goes on where earlier sessions left it.
class Passes {
 public:
  /// Before the first session of this job begins. The job outlives it.
  Passes(const Job& job, const results::Scan& journal, const OpenBlocks& open);

  /// The pass that is next by what is recorded now: the best of many cells again, then what is undecided, then early
  /// verdicts, as far as `measure.total` goes, and clones in what time is left. Nothing while blocks are missing.
  /// `ended`: the pass before it was not left.
  std::optional<Pass> next(bool ended);

  /// The end of the session in which next() was asked.
  [[nodiscard]] const results::SessionEndRecord& session_end() const { return end_; }

 private:
  /// Where the sweep trains: what its results ask for, until they ask for nothing.
  std::optional<Pass> next_legs(bool ended);

  const Job& job_;
  results::SessionEndRecord end_;
  bool follow_;
  Rerun running_ = Rerun::nothing;
  bool clones_taken_ = false;
  std::size_t legs_taken_ = 0;  ///< passes of a sweep that trains
};

/// The job of a pass: the same plan, measured as the pass says.
Job job_of(Job job, const Pass& pass);

}  // namespace regatta::launcher
