// Sweeps along an axis whose truth is known: no crossover where both arms are the same code, and each that is planted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/effects/effects.hpp"
#include "measuring/replay_cell.hpp"
#include "measuring/replay_random.hpp"
#include "regatta/analysis/contrasts.hpp"
#include "report/sample_results.hpp"

namespace regatta::measuring {
namespace {

using testing_support::arm;

constexpr int lines = 100;

/// Eager against graph at batches 1, 2, 4, ...: log of the time of eager over graph.
using Truth = std::function<double(std::int64_t batch)>;

struct Line {
  std::size_t points = 7;
  std::size_t squares = 9;
  double process = 0.005;  ///< spread by which processes of the same code differ (log), fresh ones in every square
  double layout = 0;       ///< the same of what all processes of an arm share at one batch
  double slice = 0.002;
};

std::vector<double> drawn(const Line& line, double log_time, Random& random) {
  const double of_arm = log_time + line.layout * random.normal();
  std::vector<double> seconds;
  for (std::size_t square = 0; square < line.squares; ++square)
    seconds.push_back(1e-4 * std::exp(of_arm + line.process * random.normal() + line.slice * random.normal()));
  return seconds;
}

std::vector<analysis::Crossing> crossings(const Line& line, const Truth& truth, std::uint64_t seed) {
  Random random(seed);
  testing_support::ResultsBuilder made;
  for (std::size_t point = 0; point < line.points; ++point) {
    const std::int64_t batch = std::int64_t{1} << point;
    const TrialIndex graph = made.trial(arm("native", "graph", batch));
    const TrialIndex eager = made.trial(arm("native", "eager", batch));
    const BlockIndex block = made.block({graph, eager});
    made.slices(block, graph, drawn(line, 0, random));
    made.slices(block, eager, drawn(line, truth(batch), random));
  }
  return analysis::effects_of(analysis::judge_of(made.results), analysis::contrasts(made.results)).crossings;
}

void expect_none(const Line& line) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < lines; ++seed)
    found += crossings(
                 line, [](std::int64_t) { return 0; }, random_bits(replay_seed(), seed))
                     .empty()
                 ? 0
                 : 1;
  EXPECT_EQ(found, 0) << "the rule itself: lines of identical arms that cross: " << found << " %";
}

TEST(CrossoverLines, OfIdenticalArmsHaveNone) {
  for (const std::size_t points : {6U, 7U, 8U}) expect_none({.points = points});
}

// Where code lies in memory can make it faster for good, at one batch and not at the next.
TEST(CrossoverLines, OfIdenticalArmsHaveNoneHoweverLongTheyAreMeasured) {
  expect_none({.squares = 60, .layout = 0.002});
}

TEST(CrossoverLines, FindEachThatIsPlanted) {
  // Faster by 20 % at batch 1, slower by 25 % at 64: alike at 8.
  const Truth crossing = [](std::int64_t batch) {
    return std::log(1.25) * (std::log2(static_cast<double>(batch)) - 3) / 3;
  };
  int found = 0, held = 0;
  for (std::uint64_t seed = 0; seed < lines; ++seed) {
    const auto all = crossings({.squares = 12}, crossing, random_bits(replay_seed(), seed));
    found += all.size() == 1 && all[0].below == "eager" ? 1 : 0;
    held += std::ranges::any_of(all, [](const auto& each) { return each.at.range.contains(8); }) ? 1 : 0;
  }
  EXPECT_EQ(found, lines);
  EXPECT_GE(held, 95);
}

}  // namespace
}  // namespace regatta::measuring
