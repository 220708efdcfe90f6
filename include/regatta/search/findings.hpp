// The findings of a search: the set that it ends with, and how far to believe it (docs/guide/training.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "regatta/stats/range.hpp"

namespace regatta::search {

struct SeedValue {
  std::int64_t seed = 0;
  double value = 0;
  bool operator==(const SeedValue&) const = default;
};

/// Seeds without a value are not in it.
struct Figure {
  std::vector<SeedValue> by_seed;
  stats::Estimate mean;  ///< with its 95 % interval over seeds; NaN without a value
};

struct Finalist {
  std::size_t configuration = 0;
  double searched = 0;  ///< value in the search: its score in the last rung, the mean of both if it has a clone there
  Figure fresh;         ///< validation under seeds that chose nothing
  Figure test;          ///< decides nothing
  std::size_t diverged = 0;  ///< fresh runs that are over without a score
  stats::Estimate behind;    ///< by how much it is worse than the leader, paired by seed, at alpha / (k - 1)
  std::size_t pairs = 0;     ///< seeds under which both have a score
  bool in_set = true;        ///< not shown to be worse than the leader by the margin
};

/// A configuration that did not reach the last rung, or has no score there.
struct Stopped {
  std::size_t configuration = 0;
  std::uint32_t after_rung = 0;
  bool diverged = false;            ///< or failed: there was nothing to go on with
  bool trained_on = false;          ///< to the end, to see what stopping costs
  std::optional<double> end_score;  ///< such a one's
  bool would_be_in_set = false;     ///< with that score; known once there is a leader
};

/// How far apart runs of one configuration are that differ in nothing but their seeds.
struct Noise {
  double spread = 0;        ///< standard deviation of a score
  std::size_t pairs = 0;    ///< clones that tell it; 0: unknown
  bool of_earlier = false;  ///< too few got so far: those that were stopped before tell it, too
};

/// Sums over what is recorded; 1 is a run from begin to end.
struct Cost {
  double search = 0;
  double clones = 0;
  double trained_on = 0;
  double fresh = 0;
  double repeats = 0;     ///< runs once more under their own seeds
  double everything = 0;  ///< cost of training every configuration under as many seeds as a finalist has
};

enum class Warning : std::uint8_t {
  unfinished,    ///< legs are due: figures are of what is recorded
  few_seeds,     ///< fewer than 7 seeds tell the leader from another: no verdict on that one
  no_noise,      ///< no clone has a score beside its original's: nobody was left out before the fresh seeds
  all_diverged,  ///< nobody has a score in the last rung
  unstable       ///< a finalist diverged under some fresh seeds
};
inline constexpr std::array<std::pair<Warning, std::string_view>, 5> warning_names = {
    {{Warning::unfinished, "unfinished"},
     {Warning::few_seeds, "few seeds"},
     {Warning::no_noise, "noise unknown"},
     {Warning::all_diverged, "all diverged"},
     {Warning::unstable, "diverged under some seeds"}}};

struct Verdict {
  bool over = false;
  std::vector<Finalist> finalists;  ///< the best under fresh seeds first; before there are any, as the search saw them
  std::optional<std::size_t> leader;  ///< a configuration; nothing before all fresh runs are recorded
  std::size_t left_out = 0;           ///< beyond the most finalists, though not shown to be worse than them
  std::optional<double> optimism;     ///< the leader's score in the search less its fresh validation
  std::vector<Stopped> stopped;       ///< by rung
  std::vector<Noise> noise;           ///< as known after each rung
  Cost cost;
  std::vector<Warning> warnings;
};

}  // namespace regatta::search
