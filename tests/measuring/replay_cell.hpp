// Thousands of replayed contrasts of one noise and one effect, and the bars of T1 on them.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "measuring/replay_contrast.hpp"

namespace regatta::measuring {

/// REGATTA_REPLAY_SEED, or one for all days.
std::uint64_t replay_seed();

/// REGATTA_REPLAY_RUNS where it is less: planted bugs show in few.
std::size_t replay_runs(std::size_t usual);

/// Largest spread of block values for which the bars ask for verdicts: 0.7 delta.
inline const double quiet_spread = 0.7 * std::log(1.01);
/// Planted effect as a multiple of delta = log(1.01), the limit of "no difference".
struct Cell {
  std::string noise;
  double effect = 0;  ///< in units of delta, without the noise's own shift
  double truth = 0;   ///< in units of delta
  double spread = 0;  ///< spread of block values, in units of delta
  std::size_t runs = 0;
  bool replicated = true;  ///< processes of its own for every square: spread tells how soon there is a verdict
  // Shares of the runs, from 0 to 1.
  double faster = 0, slower = 0, same = 0, undecided = 0;
  double covered = 0;              ///< interval at stopping holds the truth
  double covered_or_drifting = 0;  ///< or the contrast is flagged as drifting
  double median_squares = 0;
};

/// Verdicts that contradict the truth; exactly at the limit the more frequent wrong one of "same" and "slower".
double wrong_share(const Cell& cell);
/// The right verdict; 0 where no verdict is right (exactly at the limit).
double power(const Cell& cell);

/// One contrast with a planted log effect, from a seed.
using TakeContrast = std::function<Outcome(double effect, std::uint64_t seed)>;

/// As many contrasts, each from a seed of its own.
Cell run_cell(const Noise& noise, double effect, const Method& method, std::size_t runs, std::uint64_t seed,
              const TakeContrast& take);
/// Replayed ones.
Cell run_cell(const Noise& noise, double effect, const Method& method, std::size_t runs, std::uint64_t seed);

/// The bars that the cell misses, in words; empty if none.
std::vector<std::string> broken_bars(const Cell& cell);

void print_header(std::size_t runs, std::uint64_t seed);
void print(const Cell& cell);

}  // namespace regatta::measuring
