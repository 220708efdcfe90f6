#include "simulated_learner.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace regatta::search::testing {
namespace {

constexpr std::size_t rates = 10;
constexpr std::size_t widths = 4;
constexpr std::size_t seeds = 50;
constexpr std::size_t rungs = 4;
constexpr std::size_t validation_samples = 287;
constexpr std::size_t test_samples = 360;
constexpr double shared = 0.6;  // part of what makes a sample hard: the same for all

/// How the accuracy of one run grows, as a normal deviate: chance at 0 steps.
struct Learner {
  double end = 0;         ///< after the whole horizon and beyond
  double speed = 0;       ///< horizons to get most of the way: smaller is faster
  double divergence = 0;  ///< chance that the run does
  double spread = 0;      ///< between seeds
};

double deviate(double accuracy) {  // the inverse of the normal distribution, by bisection
  double low = -5, high = 5;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < accuracy ? low : high) = middle;
  }
  return low;
}

Learner learner_of(std::size_t rate, std::size_t width) {
  const double log_rate = -4 + 0.5 * static_cast<double>(rate);  // 1e-4 .. 3e-1
  const double lacking = std::pow(0.35, static_cast<double>(width));
  const double too_high = std::max(0.0, log_rate + 1.6);
  Learner learner;
  learner.end = 0.980 - 0.05 * lacking - 0.03 * too_high * too_high;
  learner.speed = 0.045 * std::pow(10, -1.0 * (log_rate + 2));
  learner.divergence = std::clamp(1.2 * (log_rate + 0.55 + 0.1 * static_cast<double>(width)), 0.0, 1.0);
  learner.spread = 0.08 + 0.05 * too_high;
  return learner;
}

double accuracy_at(const Learner& learner, double fraction, double luck) {
  const double grown = 1 - std::exp(-std::pow(fraction / learner.speed, 0.7));
  const double chance = deviate(0.1);
  return chance + (deviate(learner.end) + luck - chance) * grown;  // as a deviate
}

using Random = std::mt19937_64;

double normal(Random& random) {  // the standard's distributions differ between libraries
  const auto unit = [&] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
  const double radius = std::sqrt(-2 * std::log(unit()));
  return radius * std::cos(6.283185307179586 * unit());
}

std::vector<double> normals(Random& random, std::size_t count) {
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return values;
}

/// Samples are right whose difficulty is below what the run can do.
double share_right(const std::vector<double>& difficulty, double ability) {
  const auto right = std::ranges::count_if(difficulty, [&](double each) { return each < ability; });
  return static_cast<double>(right) / static_cast<double>(difficulty.size());
}

std::vector<double> difficulty_for(Random& random, const std::vector<double>& common) {
  std::vector<double> difficulty = normals(random, common.size());
  for (std::size_t i = 0; i < common.size(); ++i)
    difficulty[i] = std::sqrt(shared) * common[i] + std::sqrt(1 - shared) * difficulty[i];
  return difficulty;
}

TableRun run_of(const Learner& learner, Random& random, const std::vector<double>& validation,
                const std::vector<double>& test) {
  const std::vector<double> own_validation = difficulty_for(random, validation);
  const std::vector<double> own_test = difficulty_for(random, test);
  const double luck = learner.spread * normal(random);
  const double fate = (static_cast<double>(random() >> 11)) * 0x1p-53;
  TableRun run;
  double best = 0;
  for (std::size_t rung = 0; rung < rungs; ++rung) {
    const double fraction = std::pow(3, static_cast<double>(rung) - (rungs - 1));
    best = std::max(best, share_right(own_validation, accuracy_at(learner, fraction, luck)));
    const bool diverged = fate < learner.divergence * std::min(1.0, fraction * 9);  // most do early
    run.scores.push_back(diverged ? std::nullopt : std::optional(best));
  }
  if (run.scores.back()) run.test = share_right(own_test, accuracy_at(learner, 1, luck));
  return run;
}

}  // namespace

Table simulated_table() {
  Random random(20240607);
  Table table{.runs = std::vector<std::vector<TableRun>>(rates * widths), .rungs = rungs};
  const std::vector<double> test = normals(random, test_samples);
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    const std::vector<double> validation = normals(random, validation_samples);
    for (std::size_t i = 0; i < table.runs.size(); ++i)
      table.runs[i].push_back(run_of(learner_of(i / widths, i % widths), random, validation, test));
  }
  return table;
}

}  // namespace regatta::search::testing
