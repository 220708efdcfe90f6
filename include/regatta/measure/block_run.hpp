// A block while it is measured: what pilot, same-work check and the loops share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "regatta/measure/arms.hpp"
#include "regatta/measure/discoveries.hpp"
#include "regatta/measure/memory.hpp"
#include "regatta/stats/pair_spreads.hpp"
#include "regatta/stats/samples.hpp"
#include "regatta/sweep/block_task.hpp"

namespace regatta::measure {

struct Arm {
  ArmIndex index;
  const sweep::ArmTask* task = nullptr;
  sweep::Outcome outcome;
  sweep::Verified verified = sweep::Verified::unchecked;
  std::string verified_detail;
  double start_seconds = 0;             ///< for its processes to start and prepare, the last time alone
  double import_seconds = 0;            ///< the part of it before the model is built
  double first_step_seconds = 0;        ///< from the pilot
  std::uint64_t peak_bytes = 0;         ///< memory that it needs, as far as its workers know
  std::vector<MemoryOfProcess> memory;  ///< memory that was seen in each of its processes
  std::optional<protocol::DeviceMemory> device_memory = std::nullopt;  ///< nothing: it computes in the host's
  /// The values that arms are compared by, where each fresh process gives one: bytes, or a result. The first process
  /// gives none, because it also ran the pilot.
  std::vector<double> process_values;
  double step_seconds = 0;                  ///< from the pilot, then from unscored rounds
  std::int64_t warmup_steps = 0;            ///< steps that a fresh process warms up by, from the pilot
  std::vector<double> scored_step_seconds;  ///< by scored slice, re-entry left out
  double call_length_misfit = 0;            ///< log, from the pilot
  bool is_discovery = false;                ///< its difference from the baseline was counted
  /// The reason why its comparison ended.
  sweep::WhyStopped why_stopped = sweep::WhyStopped::none;
  bool is_prepared = false;
  std::optional<sweep::Learned> learned;  ///< the result of its leg, once it was trained

  /// A program that is run once per step: each step is a fresh process.
  [[nodiscard]] bool is_program() const { return task->command.has_value(); }
};

/// A tour visits the blocks of a group, all in the same processes.
struct Tour {
  std::size_t blocks = 1;  ///< blocks of the group that are not over
  /// The processes that started in this tour, by the place of their arms, and how each of them began: nothing where
  /// others began beside it, which is no cold start.
  std::map<std::uint32_t, std::optional<stats::Sample>> started = {};
};

struct BlockRun {
  BlockRun(Arms& arms_of_block, const sweep::BlockTask& task_of_block, const stats::SpreadPool& spreads_before = {});

  Arms& port;
  const sweep::BlockTask& task;
  stats::SpreadPool spreads;  ///< how pairs of blocks before this one scattered
  std::vector<Arm> arms;
  std::vector<std::size_t> living;  ///< positions in `arms` that are still measured
  std::vector<stats::Sample> samples;
  std::optional<std::size_t> awake;  ///< the arm whose processes may run
  std::uint32_t slices = 0;
  std::int64_t complete_squares = 0;
  double active_seconds = 0;                                     ///< time in scored slices and their re-entry
  double end_seconds = std::numeric_limits<double>::infinity();  ///< on the port's clock: no square ends after it
  Tour* tour = nullptr;        ///< the tour that visits this block; nothing: its processes are its own
  std::int64_t undecided = 0;  ///< comparisons that were measured and got no verdict
  Discoveries discoveries;     ///< its agent's, those of earlier blocks among them
  bool interrupted = false;    ///< a drain ended it before it was done
  /// On the port's clock: nothing is told before.
  double next_news_seconds = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool is_living(std::size_t at) const;
  [[nodiscard]] bool is_compared() const { return arms.size() > 1; }
  /// Squares until comparisons are decided or their time is spent, and not as many as were planned.
  [[nodiscard]] bool is_sequential() const;
  [[nodiscard]] double left_seconds() const { return end_seconds - port.now(); }
};

/// Seconds that a fresh process of the arm takes: start, model, first step, warm-up.
double start_seconds(const Arm& arm);

/// The same of all living arms, one after the other.
double start_seconds(const BlockRun& run);

/// The same if they start side by side: most start while models are built.
double start_seconds_side_by_side(const BlockRun& run);

/// Whether so many more samples fit into the block without joining neighbours.
bool has_room(const BlockRun& run, std::size_t samples);

/// Parks the arm that is awake, if there is one.
void park_awake(BlockRun& run);

/// Wakes the arm if it is parked; no other one is awake then.
void wake_arm(BlockRun& run, const Arm& arm);

/// Builds the arm, or builds it again in fresh processes; all others are parked. How its process began is kept among
/// the samples, under one slice number. Within a tour a process starts once: the blocks behind the first build their
/// arms in it, and its start counts as part of how each of them began.
void prepare_arm(BlockRun& run, Arm& arm);
void renew_arm(BlockRun& run, Arm& arm);

/// Whether renew_arm() starts a process, and does not find one that started in this tour.
bool needs_process(const BlockRun& run, const Arm& arm);

/// The processes of the living arms of `turn` that need fresh ones end, and those that renew_arm() waits for begin side
/// by side.
void begin_renewals(BlockRun& run, const std::vector<std::size_t>& turn);

/// Computes the first steps of the arm; all others are parked.
protocol::Checked check_arm(BlockRun& run, Arm& arm, std::int64_t steps, protocol::CheckAs as);

/// Runs one slice, all other arms parked, and keeps its samples; returns the seconds that length.steps steps of `phase`
/// took (an arm whose calls take several steps may have run more).
double take_slice(BlockRun& run, Arm& arm, stats::Phase phase, const stats::ArmSlices& length,
                  std::uint16_t square = 0);

/// The arm is measured no more. Its samples stay: they tell where the slices of the others stood.
void end_arm(BlockRun& run, Arm& arm, const sweep::Outcome& outcome);

/// Throws Interrupted if a drain was asked for.
void leave_if_interrupted(const BlockRun& run);

/// Runs `action` for one arm if it lives. An arm that ends by itself leaves the run; ArmDied passes.
template <class Action>
void for_living(BlockRun& run, std::size_t at, const Action& action) {
  if (!run.is_living(at)) return;
  Arm& arm = run.arms[at];
  try {
    action(arm);
  } catch (const ArmEnded& ended) {
    end_arm(run, arm, ended.outcome);
  }
}

template <class Action>
void for_each_living(BlockRun& run, const Action& action) {
  const std::vector<std::size_t> living = run.living;
  for (const std::size_t at : living) for_living(run, at, action);
}

}  // namespace regatta::measure
