// Every number that the rules of measuring name (docs/measuring.md R2 to R17), each once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace regatta::stats::rules {

// R2, R3: the verdict. What a sweep may choose stands here with its default.
inline constexpr double alpha = 0.05;       ///< share of intervals that may miss, and of false discoveries (R12)
inline constexpr double margin = 0.01;      ///< smallest relative difference that matters
inline constexpr double half_width = 0.01;  ///< half width that an interval shall reach (log)
inline constexpr double relative_half_width = 0.1;  ///< the same for a large difference, per |estimate|
inline constexpr double noisy_margins = 2;          ///< a floor beyond so many margins is no verdict "same"
inline constexpr std::size_t fewest_units = 7;      ///< values that an interval at `alpha` needs
inline constexpr std::size_t kept_units = 32;       ///< longer slices must leave so many: 7 outliers at each end

// R1: what is the same by the typical block and not by all time together.
inline constexpr double chance_errors = 2;   ///< standard errors that chance explains
inline constexpr double most_unsaid = 0.10;  ///< log; beyond it chance is no excuse

// R4: processes are replicates.
inline constexpr std::size_t fewest_process_pairs = 3;  ///< where starts are slow
inline constexpr std::size_t enough_process_pairs = 7;  ///< from so many on pairs are the units
inline constexpr double assumed_process_effect = 0.01;  ///< log, until clones tell

// R5: clones and floors.
inline constexpr std::size_t floor_percent = 95;  ///< quantile of |log ratio| over clones
inline constexpr double interval_errors = 3;      ///< standard errors in half an interval of R3, about
inline constexpr double p95_spreads = 1.96;       ///< spreads within which 95 % of normal values lie
inline constexpr double doubted_deltas = 3;  ///< smaller differences are doubted once identical code was told apart
inline constexpr double assumed_session_floor = 0.05;     ///< between two sessions, until earlier ones tell
inline constexpr std::size_t least_identical_trials = 7;  ///< that a floor between sessions is learnt from

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
inline constexpr std::size_t slices_of_rare = 20;  ///< that their quantile needs

// R15: effects over settings.
inline constexpr double alike_ratios = 2;  ///< largest over smallest ratio that one mean may stand for

// R16: the clock.
inline constexpr double sample_seconds = 20e-6;  ///< shortest stretch that is stamped

// R17: causes.
inline constexpr double most_misfit = 0.10;       ///< a line that misses by more is named as bent (log)
inline constexpr std::size_t fewest_batches = 3;  ///< that a line needs: two always fit

}  // namespace regatta::stats::rules
