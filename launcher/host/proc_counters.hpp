// The kernel's counts for a worker and the cores it runs on: read between slices, never during one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.hpp"
#include "regatta/base/unique_fd.hpp"

namespace regatta::launcher {

/// A file of the kernel's that stays open and is read again and again.
class KernelFile {
 public:
  explicit KernelFile(const std::filesystem::path& path);
  KernelFile(int folder_fd, const std::string& name);

  /// All of it, up to the size of `buffer`; nothing if it cannot be read (any more).
  std::optional<std::string_view> read(std::vector<char>& buffer) const;

 private:
  UniqueFd fd_;
};

/// Counts of one thread, since it was started.
struct ThreadCounters {
  std::optional<double> run_seconds;
  std::optional<double> wait_seconds;  ///< ready to run, but on no core
  std::optional<std::int64_t> involuntary_switches;
  std::optional<std::int64_t> migrations;
  bool operator==(const ThreadCounters&) const = default;
};

/// Counts at one moment. A count that cannot be read is absent; that is not the same as 0.
struct Counters {
  double at_seconds = 0;                                   ///< steady clock, when the threads were read
  std::optional<std::map<pid_t, ThreadCounters>> threads;  ///< the worker's threads; absent without a worker
  std::optional<std::int64_t> throttled_events;            ///< summed over the control groups above the worker
  std::optional<double> throttled_seconds;                 ///< the same, and summed over cores
  std::vector<std::optional<double>> steal_seconds;        ///< time stolen from each core, in ticks of 10 ms
  std::optional<double> busy_seconds;                      ///< on all its cores, whoever ran; in ticks of 10 ms
  std::optional<double> megahertz;                         ///< mean over the cores
};

/// From now on its largest resident memory is counted anew. A kernel may refuse: then it is of all its life.
void forget_peak_of(pid_t process);

/// Largest resident memory of a process so far, in bytes; 0: it has ended, or does not tell.
std::uint64_t peak_bytes_of(pid_t process);

/// Resident memory in bytes, read again and again; the file stays that of this process.
class MemorySource {
 public:
  struct Resident {
    std::uint64_t peak_bytes = 0;  ///< since it began, or since forget_peak_of()
    std::uint64_t now_bytes = 0;
  };

  explicit MemorySource(pid_t process);

  /// All 0 once it has ended.
  Resident read();

 private:
  KernelFile status_;
  std::vector<char> buffer_;
};

/// The open files behind the counters of one worker on its cores.
class CounterSource {
 public:
  /// Without a worker (programs that run once per step) only what is counted for cores and groups is read.
  CounterSource(std::optional<pid_t> worker, std::vector<int> cpus, const MachineFolders& folders = {});

  /// Nothing once the worker has ended. A thread that ended takes its counts with it.
  std::optional<Counters> read();

  /// Whether the worker has started processes itself; no where the kernel does not list them. As of the last read().
  bool has_children();

 private:
  struct Thread {
    KernelFile schedstat;
    ThreadCounters last;
    std::int64_t turns = -1;  ///< times it was put on a core
  };

  std::optional<std::map<pid_t, ThreadCounters>> read_threads();
  bool read_known_threads(std::map<pid_t, ThreadCounters>& found);
  bool read_thread(pid_t id, Thread& thread);
  bool read_switches(pid_t id, ThreadCounters& counters);
  void find_threads();
  void read_throttling(Counters& counters);
  void read_cores(Counters& counters);
  void read_clock(Counters& counters);

  std::vector<int> cpus_;
  bool has_worker_;
  UniqueFd task_folder_;  ///< stays that of this worker when its pid is given to another process
  std::map<pid_t, Thread> threads_;
  std::vector<KernelFile> cpu_stats_;
  KernelFile stat_;
  std::vector<KernelFile> frequencies_;
  std::vector<char> buffer_;
};

}  // namespace regatta::launcher
