// Figures of whole runs: launcher, mpirun, ranks, workers and all.
#pragma once

#include <filesystem>

#include "bench/sweep_run.hpp"

namespace regatta::launcher {

/// A second, over a run's own time from its first trial's start until the journal was written last.
double noop_rate(const StopSignals& signals, const std::filesystem::path& folder, int ranks, std::size_t trials,
                 bool one_by_one);
double command_rate(const StopSignals& signals, const std::filesystem::path& folder, int ranks, std::size_t trials);

/// From the command line to the first of four no-op trials, and until the command has ended.
struct StartSeconds {
  double first_trial = 0;
  double whole = 0;
};
StartSeconds start_seconds(const StopSignals& signals, const std::filesystem::path& folder, int ranks);

/// The most that a rank without work takes while another has one long trial.
struct IdleRank {
  double core_share = 0;
  double pss_bytes = 0;
};
IdleRank idle_rank(const StopSignals& signals, const std::filesystem::path& folder, int ranks, double seconds);

/// From the kill of a worker to the end of the first trial behind it, on one rank.
double slot_ready_seconds(const StopSignals& signals, const std::filesystem::path& folder);

/// A run that was killed when so many trials had finished, and is gone on with.
class FinishedTrials {
 public:
  FinishedTrials(const StopSignals& signals, const std::filesystem::path& folder, int ranks, std::size_t trials);

  /// From the command line to the first new trial; each time the sweep has a few more.
  double resume_seconds();

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  const StopSignals& signals_;
  std::filesystem::path folder_;
  int ranks_;
  std::size_t trials_;
};

}  // namespace regatta::launcher
