// T12: how soon a comparison is told, and how often rightly, on noise that is known, replayed by the shipped judge
// after every pair of processes. Logs are natural and of time a over time b.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "regatta/stats/pair_spreads.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::measuring {

/// How many processes of either arm are so many times slower than the others.
struct SlowProcesses {
  double share = 0;
  double factor = 1;
};

/// Slices that take so many times as long, in either arm or in arm a alone.
struct Stalls {
  double share = 0;
  double factor = 1;
  bool in_a_alone = false;
};

struct EarlyNoise {
  std::string name;
  double of_slices = 0;  ///< standard deviation of the log time of a slice
  double of_pairs = 0;   ///< the same of the log ratio of a pair of processes
  Stalls stalls = {};
  SlowProcesses slow = {};
  double tails = 0;                 ///< degrees of freedom of Student's t by which pairs differ; 0: normal
  double remembered = 0;            ///< part of the ratio of a pair that the next one keeps (AR(1))
  double remembered_by_slices = 0;  ///< part of the time of a slice that the next slice of any arm keeps
  double drift_of_slices = 0;       ///< log by which each further slice is slower, begun anew after 256
  double drift_of_a = 0;            ///< log by which each further pair is slower in arm a alone
};

/// Noises that answers have to stand.
std::vector<EarlyNoise> early_noises();

enum class History : std::uint8_t {
  none,
  right,  ///< ten pairs of clones beside the same noise
  wrong   ///< ten pairs of clones that scattered by 0.3 %
};

struct EarlyCell {
  EarlyNoise noise;
  double effect = 0;  ///< relative difference that is planted; that of stalls comes on top
  History history = History::none;
  double margin = 0.01;
  double needed_evidence = 60;  ///< evidence for a difference: that for the first of three
  std::size_t squares_each = 9;
  std::size_t most_pairs = 30;
};

/// Shares are from 0 to 1.
struct EarlyOutcome {
  double told = 0;
  double covered = 0;  ///< the interval holds the truth when it is told, or at the end
  double wrong = 0;    ///< another difference than the true one, "same" beyond the margin, or a difference below it
  double median_pairs = 0;  ///< until it is told; infinite where half of the runs are not
};

EarlyOutcome run_early(const EarlyCell& cell, std::size_t draws, std::uint64_t seed);

}  // namespace regatta::measuring
