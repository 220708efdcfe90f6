// The gain from more ranks of a trial, the number of ranks up to which they pay, and the limit
// (docs/guide/data-parallel.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "regatta/analysis/values.hpp"
#include "regatta/base/ids.hpp"
#include "regatta/stats/range.hpp"

namespace regatta::analysis {

/// One number of ranks, with its shards.
struct RankCell {
  TrialIndex trial;
  std::int64_t ranks = 1;
  std::int64_t shards = 0;  ///< 0: its engine has none
  std::int64_t batch = 0;   ///< samples of one step of all ranks; 0: it reads none
  double step_seconds = std::numeric_limits<double>::quiet_NaN();  ///< mean
  std::optional<double> exposed_seconds;  ///< exchange and waiting in it, where its worker tells
  std::string slowest_rank;               ///< "1 (83 %)": mostly the last, at so many buckets
  std::optional<double> spread_seconds;   ///< between the first and the last at a step's end
  /// Time of a sample over that of the base; nothing for the base, and for what never took turns with it.
  std::optional<JudgedRatio> against_base;
  bool interval_counts = true;  ///< not where slices drifted or shared cores
  /// A step without the exchange over the step as it is; nothing unless `measure.explain` measured it.
  std::optional<JudgedRatio> exchange_off;
  bool exchange_counts = true;  ///< the same for its interval
};

/// The cause of most of the lost efficiency, on the scale on which losses add up (logarithms of ratios).
enum class HeldBackBy : std::uint8_t { unknown, little, exchange, shards, elsewhere };

/// Whether more ranks were judged against one.
enum class RanksKnown : std::uint8_t { judged, no_base, no_turns };

struct RankScaling {
  /// The next number of ranks after those that pay.
  struct Next {
    std::size_t cell = 0;
    JudgedRatio ratio;  ///< against `pays_to`
  };

  std::string name;                        ///< "native graph mlp-784"; empty where nothing else varies
  std::optional<std::int64_t> each_ranks;  ///< samples a rank where the batch grows with ranks; else all have one batch
  std::vector<RankCell> cells;             ///< by shards, then ranks; of one engine, model and the like
  RanksKnown known = RanksKnown::no_base;
  std::optional<std::size_t> base;  ///< one rank: shards 1 unless others were shown to be faster
  std::size_t pays_to = 0;          ///< every step up to this cell was shown to be faster; the base if none was
  std::optional<Next> next;         ///< nothing if the largest number of ranks pays
  std::size_t held = 0;             ///< the cell that `held_back_by` is about
  HeldBackBy held_back_by = HeldBackBy::unknown;
  std::optional<JudgedRatio> shards_cost;  ///< one rank with the shards of `held` over the base
};

/// Samples a second against the base, from a ratio of times; infinite ends without an interval.
stats::Estimate speed_up(const JudgedRatio& ratio);

/// The part of `ranks` times the base that is reached; nothing without a ratio.
std::optional<stats::Estimate> efficiency(const RankCell& cell);

}  // namespace regatta::analysis
