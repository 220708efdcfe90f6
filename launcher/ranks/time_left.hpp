// How much longer a run takes, learnt while it runs.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "regatta/base/ids.hpp"

namespace regatta::launcher {

/// The expected time of a block before blocks like it are known.
struct Expectation {
  double seconds = 0;
  /// Most time that it may take, however far expectations are off.
  double most_seconds = std::numeric_limits<double>::infinity();
  bool is_learnt = false;  ///< from how long its processes took to start in earlier runs
};

/// Blocks of one kind are taken to cost alike. A kind that was never seen costs its expectation, times how far
/// expectations were off so far. Blocks that are done count for that, and blocks under way by their own forecasts.
class TimeLeft {
 public:
  /// A block that is still to be run.
  void add(const std::string& kind, const Expectation& expected);

  /// One that runs is expected to take so long from its begin to its end.
  void foretell(BlockIndex block, const std::string& kind, double seconds);

  /// It is done; `seconds` is nothing if it was not run after all.
  void done(BlockIndex block, const std::string& kind, std::optional<double> seconds);

  /// Whether anything is known yet beside what was expected, or all of that was learnt in earlier runs.
  [[nodiscard]] bool is_known() const;

  /// Seconds of all blocks that are still to be run, one after the other.
  [[nodiscard]] double seconds() const;

  /// Seconds of one block of that kind.
  [[nodiscard]] double seconds_of(const std::string& kind) const;

 private:
  struct Kind {
    std::size_t open = 0;
    std::size_t all = 0;
    std::size_t learnt = 0;         ///< how many of them are expected to take what was learnt
    Expectation expected = {0, 0};  ///< all blocks of it together
    std::size_t done = 0;
    double done_seconds = 0;
    std::map<BlockIndex, double> foretold;
  };
  [[nodiscard]] double scale() const;
  [[nodiscard]] static double cost(const Kind& kind, double scale);

  std::map<std::string, Kind> kinds_;
};

}  // namespace regatta::launcher
