// Looks now and then whether other programs take the cores that this run measures on.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "host/other_programs.hpp"

namespace regatta::launcher {

/// The result of the last look.
struct OthersSeen {
  std::optional<OthersUse> use;  ///< nothing: not known yet
  bool is_news = false;          ///< the first look of the run that found the cores busy
};

/// Watches the slots of one host. A look costs a few small files; all processes of the host are listed at the start,
/// and then only while it is busy.
class BusyWatch {
 public:
  using Slots = std::function<std::vector<OwnSlot>()>;             ///< this run's on this host
  using Below = std::function<std::vector<pid_t>(pid_t process)>;  ///< its living descendants

  /// The first reading is taken here.
  BusyWatch(Slots slots, Below below, double now_seconds, const MachineFolders& folders = {});

  /// Looks if it is time to, half a second after the start and then at the pace of the lines that tell progress.
  OthersSeen look(double now_seconds);

 private:
  struct Watched {
    SlotGroup group;
    CounterSource source;
    SlotReading before;
  };

  void begin(std::vector<SlotGroup> groups);
  std::optional<SlotReading> read(CounterSource& source, const SlotGroup& group);
  void compare();
  std::set<pid_t> own_processes(const std::vector<pid_t>& agents) const;
  std::set<pid_t> all_own_processes() const;

  Slots slots_;
  Below below_;
  MachineFolders folders_;
  std::vector<Watched> watched_;
  std::map<pid_t, ProcessTimes> listed_;
  std::optional<OthersUse> use_;
  double next_look_seconds_;
  bool was_busy_ = false;
};

}  // namespace regatta::launcher
