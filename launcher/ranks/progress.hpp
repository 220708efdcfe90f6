// How far a run is: on stderr a bar on a terminal and elsewhere a line every ten seconds; for programs one JSON object
// a line (docs/reference/progress.md).
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "job/job.hpp"
#include "job/passes.hpp"
#include "ranks/busy_watch.hpp"
#include "ranks/ranks.hpp"
#include "ranks/time_left.hpp"
#include "regatta/dispatch/progress.hpp"

namespace regatta::launcher {

using dispatch::News;
using dispatch::Progress;

/// The ways in which a run shows its progress.
struct ProgressOptions {
  int bar_columns = 0;    ///< the terminal has that stderr is in the end; 0: it is none
  std::string events;     ///< where JSON goes (EventStream), "-" in place of lines on stderr; empty: nowhere
  bool is_quiet = false;  ///< warnings and errors alone
};

/// Where in a run it is that blocks are measured.
struct PassShown {
  PassNumber number = {};
  double run_start_seconds = 0;  ///< steady clock
};

/// Tells what other programs take of this host's cores, as BusyWatch::look.
using LookAround = std::function<OthersSeen(double now_seconds)>;

/// The progress of a run for people. Texts are printable ASCII.
struct ProgressText {
  Progress progress;
  double elapsed_seconds = 0;
  std::optional<double> left_seconds;  ///< nothing: not known yet
  std::string current;                 ///< the block that is measured now; empty: none
  double over_seconds = 0;             ///< time beyond the block's estimate, which the time left no longer counts
  PassNumber pass = {};
  std::optional<OthersUse> others = std::nullopt;  ///< nothing: not known, or so little that it is not told
};

/// "[####......] 12/20 blocks  1 failed  2 undecided  31 s  about 20 s left  digits-mlp batch 32", cut to `columns`.
std::string bar_text(const ProgressText& text, std::size_t columns);
/// "12 of 20 blocks done, 1 failed, 2 undecided, 31 s, about 20 s left; now digits-mlp batch 32, 12 s over its
/// estimate".
std::string line_text(const ProgressText& text);
/// "pair 3 of about 6, 5 squares".
std::string stand_text(const protocol::BlockStand& stand);

class ProgressPrinter {
 public:
  /// `finished` blocks are not run again. Keeps a reference to the job.
  ProgressPrinter(
      const Job& job, const HashSet& finished, const ProgressOptions& options, const PassShown& pass,
      LookAround look_around = [](double) { return OthersSeen{}; });

  /// Shows what is due; `news` came since the last call.
  void show(const Progress& progress, const News& news);

 private:
  /// A block that an agent runs, and what it told last.
  struct Running {
    BlockIndex block;
    double since_seconds = 0;
    std::optional<protocol::BlockStand> stand = std::nullopt;
    double told_seconds = 0;
  };

  void learn(const std::vector<dispatch::BlockNews>& done);
  void hear(const std::vector<dispatch::StandNews>& stands, double now);
  [[nodiscard]] std::string kind(BlockIndex block) const;
  /// When the block is expected to be done; nothing if that is not known.
  [[nodiscard]] std::optional<double> end_seconds(const Running& running) const;
  void tell_started(const Progress& progress, double now);
  [[nodiscard]] std::optional<double> left_seconds(const Progress& progress, double now) const;
  [[nodiscard]] double over_seconds(double now) const;
  [[nodiscard]] std::string current(const Progress& progress) const;
  void look_at_others(double now);
  void show_person(const Progress& progress, double now);
  void show_program(const Progress& progress, double now);

  const Job* job_;
  ProgressOptions options_;
  std::optional<EventStream> events_;
  TimeLeft time_left_;
  std::map<AgentId, Running> running_;
  std::map<AgentId, std::set<BlockIndex>> started_;  ///< blocks that it holds, and that programs were told of
  PassShown pass_;
  LookAround look_around_;
  std::optional<OthersUse> others_;
  double next_text_seconds_;
  double next_walk_seconds_ = 0;
  double next_event_seconds_ = 0;
  std::size_t shown_done_ = static_cast<std::size_t>(-1);
  std::size_t told_done_ = static_cast<std::size_t>(-1);
  bool begun_ = false;
};

}  // namespace regatta::launcher
