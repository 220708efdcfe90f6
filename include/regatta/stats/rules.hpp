// Every number that the rules of measuring name (docs/background/measuring.md R2 to R17), each once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace regatta::stats::rules {

// R2, R3: the verdict. Values that a sweep may choose stand here with their defaults.
inline constexpr double alpha = 0.05;       ///< share of intervals that may miss, and of false discoveries (R12)
inline constexpr double margin = 0.01;      ///< smallest relative difference that matters
inline constexpr double half_width = 0.01;  ///< half width that an interval shall reach (log)
inline constexpr double relative_half_width = 0.1;  ///< the same for a large difference, per |estimate|
inline constexpr std::size_t fewest_units = 7;      ///< values that signs alone need for an interval at `alpha`
/// Squares that longer slices must leave, so that there are several pairs.
inline constexpr std::size_t kept_squares = 32;

// R1: what is the same by the typical block and not by all time together.
inline constexpr double chance_errors = 2;   ///< standard errors that chance explains
inline constexpr double most_unsaid = 0.10;  ///< log; beyond it chance is no excuse

// R4: processes are replicates.
inline constexpr std::size_t fewest_process_pairs = 2;  ///< pairs that a verdict needs
inline constexpr std::size_t enough_process_pairs = 7;  ///< from so many on signs alone may confirm it
inline constexpr double least_squares_each = 5;         ///< fewest squares of a pair that starts
inline constexpr double most_squares_each = 20;
inline constexpr double least_pair_seconds = 2;  ///< or so long, where 5 squares take longer
inline constexpr double moved_errors = 2.6;      ///< standard errors by which neighbours are too much alike
inline constexpr double moved_alpha = 0.005;     ///< share of alike pairs in which a trend is found
inline constexpr double moved_deltas = 0.25;     ///< pairs that scatter by less have not moved, whatever their order

// R5: how much pairs scatter, and what clones show.
inline constexpr double most_history_degrees = 12;  ///< degrees of freedom that earlier pairs count for
inline constexpr double history_weight = 0.5;       ///< weight of what they show beside the prior of a new machine
inline constexpr double neighbours_alike = 1.5;     ///< factor on the variance that squares of one pair show
inline constexpr double p95_spreads = 1.96;         ///< spreads within which 95 % of normal values lie
inline constexpr std::size_t floor_percent = 95;    ///< quantile of |log ratio| over identical trials of two sessions
inline constexpr double doubted_deltas =
    3;  ///< smaller differences of sessions are none if identical code was told apart
inline constexpr double assumed_session_floor = 0.05;     ///< between two sessions, until earlier ones tell
inline constexpr std::size_t least_identical_trials = 7;  ///< trials that a floor between sessions is learnt from

// R6: calls and modes.
inline constexpr std::size_t least_call_lengths = 3;
inline constexpr std::size_t fewest_pilot_calls = 8;  ///< a process that only warms up makes fewer
inline constexpr double pilot_noise = 0.10;           ///< a smaller change of a pilot's step times is noise (log)
inline constexpr double mode_gap = 5;                 ///< gap between clusters, in spreads inside them
inline constexpr std::size_t least_mode_values = 5;
inline constexpr std::size_t least_mode_percent = 10;

// R7: warm-up.
inline constexpr std::size_t least_segment = 3;  ///< slices between two change points
inline constexpr double change_penalty = 3;      ///< cost of a change point, in spread^2 log n

// R8: slices and what comes before them.
inline constexpr double slice_seconds = 0.012;       ///< wanted: processes differ more than longer slices would tell
inline constexpr double long_slice_seconds = 0.050;  ///< where a pair's start takes longer than 1 s: re-entries count
inline constexpr double slow_start_seconds = 1;
inline constexpr double very_slow_start_seconds = 5;  ///< then a slice takes 5 steps of an arm, as far as they fit into
inline constexpr double longest_slice_seconds = 1;    ///< so long
inline constexpr std::int64_t slice_samples = 500;    ///< most scored samples of a slice
inline constexpr double reentry_seconds = 0.010;      ///< run unscored after each resume
inline constexpr std::int64_t reentry_least_steps = 5;
inline constexpr std::int64_t reentry_samples = 16;     ///< most samples of a re-entry
inline constexpr std::size_t samples_for_quarters = 4;  ///< a slice with fewer has no quarters

// R9: order.
inline constexpr double position_deltas = 0.5;          ///< beyond so many deltas a position is flagged
inline constexpr std::size_t first_slice_squares = 4;   ///< before the first slice of a square is judged
inline constexpr std::size_t first_slice_percent = 80;  ///< so many squares must agree

// R12: many contrasts.
inline constexpr std::size_t best_cells = 5;  ///< measured again where a setting has more

// R14: quantiles of single calls.
inline constexpr double calls_beyond = 10;         ///< a quantile: p99 needs 1,000 calls
inline constexpr double frequent_quantile = 0.95;  ///< rarer calls than those beyond it come in clumps
inline constexpr std::size_t slices_of_rare = 20;  ///< slices that the quantile of rare calls needs

// R15: effects over settings.
inline constexpr double alike_ratios = 2;  ///< largest over smallest ratio that one mean may stand for

// R16: the clock.
inline constexpr double sample_seconds = 20e-6;  ///< shortest stretch that is stamped

// R17: causes.
inline constexpr double most_misfit = 0.10;       ///< a line that misses by more is named as bent (log)
inline constexpr std::size_t fewest_batches = 3;  ///< batches that a line needs: two always fit

}  // namespace regatta::stats::rules
