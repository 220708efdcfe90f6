// Sessions of a run as the shipped store writes them, recorded; and a run that goes on with what a crash left.
#pragma once

#include <string>
#include <vector>

#include "disk_record.hpp"
#include "regatta/results/journal.hpp"
#include "results/sample_sweep.hpp"
#include "states.hpp"

namespace regatta::crashes {

inline const std::string run_path = "out/deep/small.regatta";
inline const std::string journal_path = run_path + "/journal";
inline const std::string samples_path = run_path + "/samples.bin";

class RecordedRun {
 public:
  RecordedRun();

  /// Two sessions, with records of each kind.
  [[nodiscard]] Recorded sessions() const;
  /// Another run on a disk that holds the first operations of an earlier one, which was killed behind them: nothing of
  /// what it had not synced is lost yet.
  [[nodiscard]] Recorded after_kill(const Recorded& earlier, std::size_t done) const;
  /// A run that goes on with what the power left.
  [[nodiscard]] Recorded after_crash(const Disk& left) const;

  /// Checks everything that must hold whatever the power left of `recorded`: see survive().
  [[nodiscard]] Count survive(const Recorded& recorded, const Effort& effort, std::uint64_t seed) const;

 private:
  struct Expected;
  [[nodiscard]] std::size_t resume(const Disk& disk, const Expected& expected) const;
  void go_on(const std::filesystem::path& folder, const results::Scan& journal) const;

  results::SampleSweep sample_;
};

}  // namespace regatta::crashes
