// Other events on a worker's cores while a slice ran. Slices are flagged by them, never dropped.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/host.hpp"
#include "host/proc_counters.hpp"
#include "regatta/stats/disturbance_flags.hpp"

namespace regatta::launcher {

/// The record of one slice. A value that could not be read is absent; that is not the same as 0.
struct Disturbance {
  std::optional<std::int64_t> involuntary_switches;  ///< summed over threads
  std::optional<std::int64_t> migrations;            ///< the same
  std::optional<double> usual_migrations;            ///< in slices of the same worker
  /// The wait of its slowest thread for a core, without waits that the worker caused itself. Threads that share their
  /// cores with each other wait too, but then the cores are all theirs. (With several threads up to 0.3 ms less.)
  std::optional<double> runqueue_wait_seconds;
  std::optional<double> usual_wait_seconds;  ///< in slices of the same worker, if it has several threads
  double core_seconds = 0;                   ///< the slice's duration times its cores
  std::optional<double> own_seconds;         ///< time that the worker ran, all threads
  std::optional<double> busy_seconds;        ///< time that anybody ran on its cores, in ticks of 10 ms
  std::optional<double> others_share;  ///< in its cores' time, over its last slices, if it has several threads; absent
                                       ///< where it has processes of its own, who may be the others
  bool has_several_threads = false;    ///< several threads ran
  std::optional<std::int64_t> throttled_events;
  std::optional<double> throttled_seconds;
  std::optional<double> steal_seconds;  ///< time stolen from the core that lost most
  std::optional<double> megahertz;      ///< after the slice
  std::optional<double> clock_ratio;    ///< to what it usually is after slices of the same worker
  std::optional<double> canary_seconds;
  std::optional<double> canary_ratio;  ///< likewise
};

/// Counts from `before` to `after` on `cpus` cores; without the values that need earlier slices.
Disturbance between(const Counters& before, const Counters& after, std::size_t cpus);

/// Bits of stats::DisturbanceFlag: what makes more than 0.5 % of a slice of this length doubtful.
std::uint8_t flags_of(const Disturbance& disturbance, double slice_seconds);

/// The share of a worker's cores that others take, from ticks that are too coarse for one slice.
class OthersShare {
 public:
  /// The share after `slice` was added; nothing until there is enough, or where it cannot be told.
  std::optional<double> update(const Disturbance& slice);

 private:
  double core_seconds_ = 0;
  double others_seconds_ = 0;
};

/// Watches the slices of one worker (or of one program that is run once per step).
class DisturbanceWatch {
 public:
  DisturbanceWatch(std::optional<pid_t> worker, std::vector<int> cpus, const MachineFolders& folders = {});

  /// Another process runs the same code from here on; what is usual stays.
  void follow(pid_t worker);

  /// Right before a slice is asked for.
  void begin();

  /// Right after it, with the workers of the slot stopped or idle; runs the canary. Nothing if the worker has ended.
  std::optional<Disturbance> end();

 private:
  std::vector<int> cpus_;
  MachineFolders folders_;
  CounterSource source_;
  std::optional<Counters> before_;
  Usual migrations_;
  Usual wait_share_;
  OthersShare others_;
  Usual megahertz_;
  Usual canary_;
};

}  // namespace regatta::launcher
