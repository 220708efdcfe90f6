// How much longer a run takes, learnt while it runs.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace regatta::launcher {

/// Blocks of one kind are taken to cost alike. What was never seen costs what was expected of it, times how far
/// expectations were off so far.
class TimeLeft {
 public:
  /// A block that is still to be run.
  void add(const std::string& kind, double expected_seconds);

  /// One of that kind is done; `seconds` is nothing if it was not run after all.
  void done(const std::string& kind, std::optional<double> seconds);

  /// Of everything that is still to be run, one block after the other.
  [[nodiscard]] double seconds() const;

  /// Of one block of that kind.
  [[nodiscard]] double seconds_of(const std::string& kind) const;

 private:
  struct Kind {
    std::size_t open = 0;
    double expected_seconds = 0;  ///< mean over all blocks of it
    std::size_t all = 0;
    std::size_t done = 0;
    double done_seconds = 0;
  };
  [[nodiscard]] double scale() const;
  [[nodiscard]] static double cost(const Kind& kind, double scale);

  std::map<std::string, Kind> kinds_;
};

}  // namespace regatta::launcher
