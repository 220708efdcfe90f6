// The state that all ranks of a simulated run share: the clock, draws, and counts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "job/job.hpp"
#include "simulation/random.hpp"
#include "simulation/settings.hpp"
#include "simulation/virtual_time.hpp"

namespace regatta::scale {

inline constexpr double shortest_sleep_seconds = 20e-6;  ///< an idle agent's, between two looks at its messages

/// How long agents worked, up to a time that is not known at first.
class WorkedTime {
 public:
  explicit WorkedTime(std::uint32_t agents) : until_(agents, 0) {}

  /// From now on, for so long; an agent does one thing at a time.
  void add(std::uint32_t agent, double now, double seconds) {
    until_[agent] = now + seconds;
    if (!ended_) total_ += seconds;
  }

  /// Ends the count: work after `now` is not in it.
  void end(double now) {
    if (ended_) return;
    for (const double until : until_) total_ -= std::max(0.0, until - now);
    ended_ = true;
  }

  [[nodiscard]] double seconds() const { return total_; }

  /// Since when the agent has had nothing to do.
  [[nodiscard]] double idle_since(std::uint32_t agent) const { return until_[agent]; }

 private:
  double total_ = 0;
  std::vector<double> until_;
  bool ended_ = false;
};

/// Numbers below 2^20; larger ones count as that.
class Histogram {
 public:
  void add(std::size_t value) {
    const std::size_t at = std::min(value, most);
    if (at >= counts_.size()) counts_.resize(at + 1);
    ++counts_[at];
    ++all_;
  }
  [[nodiscard]] std::size_t quantile(double part) const {
    const auto wanted = static_cast<std::uint64_t>(part * static_cast<double>(all_));
    std::uint64_t seen = 0;
    for (std::size_t value = 0; value < counts_.size(); ++value) {
      seen += counts_[value];
      if (seen > wanted) return value;
    }
    return counts_.empty() ? 0 : counts_.size() - 1;
  }

 private:
  static constexpr std::size_t most = std::size_t{1} << 20U;
  std::vector<std::uint64_t> counts_;
  std::uint64_t all_ = 0;
};

struct World {
  World(const Setup& what, const launcher::Job& of)
      : setup(what), job(of), meter(what.machine.fixed_seconds), random(what.seed), worked(what.machine.agents) {}

  Setup setup;
  const launcher::Job& job;
  Meter meter;
  simulation::Random random;
  simulation::VirtualTime time;
  WorkedTime worked;
  Found found;
  Histogram gang_waits;  ///< wait of the first agent of each gang; ms

  double way_seconds() { return random.between(setup.machine.shortest_way_seconds, setup.machine.longest_way_seconds); }
};

/// When an agent that has slept since `since` looks again, at `arrived` or later: ever more seldom.
inline double next_look(double since, double shortest_seconds, double longest_seconds, double arrived) {
  double at = since;
  for (double sleep = shortest_seconds; sleep < longest_seconds; sleep = std::min(2 * sleep, longest_seconds)) {
    at += sleep;
    if (at >= arrived) return at;
  }
  double rest = arrived - at;
  if (rest < 0) rest = 0;
  const double looks = std::max(1.0, std::ceil(rest / longest_seconds));
  return at + looks * longest_seconds;
}

}  // namespace regatta::scale
