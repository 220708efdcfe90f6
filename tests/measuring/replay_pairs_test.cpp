// T10: pairs of processes that serve several squares each.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <ostream>

#include "measuring/replay_cell.hpp"
#include "measuring/replay_random.hpp"
#include "regatta/stats/process_pairs.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::measuring {
namespace {

using stats::Judgement;
using stats::Verdict;

constexpr double between = 0.005;  // spread of pairs of processes (log)
const stats::JudgeOptions options = {};

struct PairsCell {
  double within = 1;         ///< spread of squares of one pair, per `between`
  double start_squares = 1;  ///< time that the processes of a pair take to start
};

void PrintTo(const PairsCell& cell, std::ostream* out) {
  *out << "within" << cell.within << "start" << cell.start_squares;
}

/// Squares of each pair, for a start that takes so many of them, and so many pairs.
constexpr std::size_t pairs_taken = 14;
std::size_t squares_of_a_pair(const PairsCell& cell) {
  return static_cast<std::size_t>(stats::squares_per_pair({0.1, cell.start_squares, 1e6}));
}

/// A contrast of two arms, pair of processes by pair.
class PairedContrast {
 public:
  PairedContrast(const PairsCell& cell, double effect, std::uint64_t seed)
      : within_(cell.within * between), effect_(effect), random_(seed) {}

  void take_pair(std::size_t squares) {
    const double of_arm = between / std::sqrt(2.0);
    const double a = effect_ + of_arm * random_.normal();
    const double b = of_arm * random_.normal();
    for (std::size_t square = 0; square < squares; ++square, ++square_) {
      for (const std::uint32_t position : {0U, 1U}) {
        slices_.a.push_back(slice(a, position));
        slices_.b.push_back(slice(b, 1 - position));
      }
    }
    ++pair_;
  }

  [[nodiscard]] Judgement judged() const { return stats::judge(slices_, options); }

 private:
  stats::SliceValue slice(double log_time, std::uint32_t position) {
    const double seconds = std::exp(log_time + within_ * random_.normal());
    return {
        .seconds = seconds, .process = pair_, .square = square_, .position = position, .median_step_seconds = seconds};
  }

  double within_, effect_;
  Random random_;
  stats::ContrastSlices slices_;
  std::uint32_t pair_ = 0, square_ = 0;
};

/// Looked at after every pair, as the loop does; at the last one if it never stops.
Judgement until_decided(const PairsCell& cell, double effect, std::uint64_t seed) {
  PairedContrast contrast(cell, effect, seed);
  Judgement judgement;
  for (std::size_t pair = 0; pair < pairs_taken && !judgement.precise; ++pair) {
    contrast.take_pair(squares_of_a_pair(cell));
    if (pair + 1 >= stats::rules::fewest_process_pairs) judgement = contrast.judged();
  }
  return judgement;
}

class ReplayPairs : public testing::TestWithParam<PairsCell> {
 protected:
  const PairsCell cell = GetParam();
  const std::uint64_t seed = replay_seed();
};

TEST_P(ReplayPairs, HoldTheTruthWhereverTheyStop) {
  const std::size_t runs = replay_runs(300);
  const double limit = stats::indifference(options);
  for (const double effect : {0.0, limit}) {
    std::size_t covered = 0, apart = 0, same = 0;
    for (std::uint64_t run = 0; run < runs; ++run) {
      const Judgement judgement = until_decided(cell, effect, random_bits(seed, run));
      covered += judgement.low <= effect && effect <= judgement.high ? 1 : 0;
      apart += judgement.verdict == Verdict::slower || judgement.verdict == Verdict::faster ? 1 : 0;
      same += judgement.verdict == Verdict::same ? 1 : 0;
    }
    const double slack = 3 * std::sqrt(0.05 * 0.95 / static_cast<double>(runs));
    const auto share = [&](std::size_t count) { return static_cast<double>(count) / static_cast<double>(runs); };
    std::printf("within %.1f, start %.0f, effect %.4f: covered %.1f %%, told apart %.1f %%, same %.1f %%\n",
                cell.within, cell.start_squares, effect, 100 * share(covered), 100 * share(apart), 100 * share(same));
    EXPECT_GE(share(covered), 0.95 - slack) << "the rule itself: coverage of pairs: " << 100 * share(covered) << " %";
    EXPECT_LE(share(apart), 0.05 + slack);
    EXPECT_LE(effect == limit ? share(same) : 0, 0.05 + slack);
  }
}

INSTANTIATE_TEST_SUITE_P(Spread, ReplayPairs,
                         testing::Values(PairsCell{0.3, 1}, PairsCell{0.3, 10}, PairsCell{0.3, 33}, PairsCell{0.3, 100},
                                         PairsCell{1, 1}, PairsCell{1, 10}, PairsCell{1, 33}, PairsCell{1, 100},
                                         PairsCell{4, 1}, PairsCell{4, 10}, PairsCell{4, 33}, PairsCell{4, 100}));

}  // namespace
}  // namespace regatta::measuring
