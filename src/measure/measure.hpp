// Blocks from their tasks to their results: pilot, same work, slices, fresh processes, tours over the blocks that
// share them; knows its arms through a port (`measure/arms.hpp`) and no process, file, thread or clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "measure/renewals.hpp"
#include "regatta/measure/block_outcome.hpp"
#include "regatta/measure/block_run.hpp"

namespace regatta::measure {

// block_result.cpp: The report of a block on itself: after a visit its news, and all of it at its end.

/// How much of a block was told before: its samples are numbered from there.
struct ToldOf {
  std::uint32_t slices = 0;
  std::uint16_t squares = 0;
};

/// All that is known of the arms by now, and the samples that were not told yet.
protocol::BlockResult result_of(const BlockRun& run, ToldOf& told);

/// How a death ends the attempt.
protocol::AttemptFailed failure_of(const BlockRun& run, const ArmDied& died);

// check_same_work.cpp: Before the first scored slice: whether the arms do the same work.

/// Compares what the first steps of the living arms compute with the baseline's, where they owe each other the same.
void check_same_work(BlockRun& run);

// comparisons.cpp: The state of the arms of a block against its baseline, from the squares so far.

/// The arms of `turn` that go on: the baseline, every arm whose comparison is still open, and what it is compared with.
/// Differences that are settled now are discoveries of the run.
std::vector<std::size_t> still_open(BlockRun& run, const std::vector<std::size_t>& turn);

/// Comparisons with the baseline that have no verdict yet; the clone is none.
std::int64_t undecided_comparisons(const BlockRun& run);

/// How pairs of the block have scattered so far: what other blocks are judged by.
stats::SpreadPool shown_spreads(const BlockRun& run);

// news.cpp: The news of a block while it is measured: where it stands, and how long it goes on. Quick blocks tell
// nothing.

/// Between two messages of a block, and before its first.
inline constexpr double news_interval_seconds = 2;

/// An arm was prepared or piloted.
void tell_beginning(BlockRun& run);

/// Where the squares of a block stand.
struct SquaresNow {
  const Renewals& renewals;
  std::size_t served = 0;             ///< arms of the last square
  std::span<const std::size_t> open;  ///< the arms that go on
  double square_seconds = 0;          ///< time of the last square
  double squares_left = 0;            ///< like it, that are planned or that the active time holds
};

/// A square is complete and another one follows, or fresh processes have started.
void tell_squares(BlockRun& run, const SquaresNow& now);

// pilot.cpp: Before the first scored slice: how long a step takes, and how long a fresh process warms up. Times of a
// pilot never enter a comparison.

/// First step, then slices of growing length until one is long enough to tell `step_seconds`.
void pilot(BlockRun& run, Arm& arm);

/// After all pilots: arms that are compared begin at the same step of training, as far as they have time for it.
void share_warm_ups(BlockRun& run);

/// Fresh processes for the arm in place of those it has: started, prepared, its first step and its warm-up run.
void renew_process(BlockRun& run, Arm& arm, std::int64_t reentry_steps);

// prepare_arms.cpp: Builds the arms of a block, as many as memory holds at once.

/// Prepares every living arm, the baseline first. An arm whose memory, with that of the arms before it, exceeds
/// limits.memory (or, without that limit, the machine's memory) is freed again and ends as failed, saying so.
void prepare_arms(BlockRun& run);

/// The same after the pilots, of what their first steps were seen to use.
void refuse_what_outgrew_memory(BlockRun& run);

// train_leg.cpp: Runs a leg of training: one arm, from where the leg before it ended.

/// Trains the block's one arm through its leg and keeps what it learned.
void train_leg(BlockRun& run);

}  // namespace regatta::measure
