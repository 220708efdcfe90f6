// A `regatta run` of this very executable, in a scratch folder, watched from outside.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "os/stop_signals.hpp"
#include "regatta/base/clock.hpp"

namespace regatta::launcher {

/// Where a sweep and what becomes of it lie.
struct SweepPlace {
  std::filesystem::path folder;
  std::string name;

  [[nodiscard]] std::filesystem::path sweep_file() const { return folder / (name + ".json"); }
  [[nodiscard]] std::filesystem::path store() const { return folder / (name + ".regatta"); }
};

/// Writes the sweep file: no-op trials, or programs, one for each trial.
SweepPlace noops(const std::filesystem::path& folder, const std::string& name, std::size_t trials);
SweepPlace programs(const std::filesystem::path& folder, const std::string& name, const std::vector<std::string>& argv,
                    std::size_t trials);

/// Bytes of samples that are recorded.
std::uint64_t sample_bytes(const SweepPlace& place);

/// The processes of the run die with it.
class SweepRun {
 public:
  SweepRun(const StopSignals& signals, const SweepPlace& place, int ranks,
           const std::vector<std::string>& options = {});
  ~SweepRun();
  SweepRun(const SweepRun&) = delete;
  SweepRun& operator=(const SweepRun&) = delete;

  [[nodiscard]] double start_wall_seconds() const { return start_wall_seconds_; }
  [[nodiscard]] double elapsed_seconds() const { return steady_seconds() - start_seconds_; }

  /// Waits until it has ended. Throws InternalError with what it said unless it ended well.
  void finish();

  /// Sleeps, looking at `holds` again and again, until it does; nothing where the run ended before it did. Throws
  /// InternalError where it takes minutes.
  template <class Holds>
  bool wait_until(const Holds& holds) {
    constexpr double look_seconds = 1e-3;
    for (Deadline deadline = Deadline::after(patience_seconds); !holds();) {
      if (has_ended()) return holds();
      if (deadline.passed()) throw_slow();
      signals_.sleep(look_seconds);
    }
    return true;
  }

  /// Kills all processes of it.
  void kill();

  /// Its processes with this name.
  [[nodiscard]] std::vector<pid_t> processes(const std::string& name) const;
  [[nodiscard]] std::vector<pid_t> ranks() const;

 private:
  static constexpr double patience_seconds = 300;

  bool has_ended();
  [[noreturn]] void throw_slow() const;
  [[nodiscard]] std::string last_words() const;

  const StopSignals& signals_;
  SweepPlace place_;
  double start_wall_seconds_ = 0;
  double start_seconds_ = 0;
  pid_t pid_ = -1;
  std::optional<int> status_;  ///< as waitpid() tells it
};

}  // namespace regatta::launcher
