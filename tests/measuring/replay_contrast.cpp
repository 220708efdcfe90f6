#include "measuring/replay_contrast.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "measuring/replay_mutants.hpp"
#include "measuring/replay_slices.hpp"
#include "regatta/stats/pair_interval.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::measuring {
namespace {

using stats::Range;
using stats::Verdict;

constexpr std::size_t first_look = stats::rules::fewest_process_pairs;

stats::JudgeOptions options_of(const Method& method) { return {.margin = method.margin}; }

stats::ContrastSlices seen_by(const DrawnContrast& contrast, const Method& method) {
  if (method.drop_flagged) return without_flagged(contrast.slices());
  return method.squares_as_pairs ? with_a_process_a_square(contrast.slices()) : contrast.slices();
}

Outcome judged(const DrawnContrast& contrast, const Method& method) {
  const auto judgement = stats::judge(seen_by(contrast, method), options_of(method));
  return {judgement.verdict, {judgement.low, judgement.high}, judgement.flags, contrast.squares(), judgement.precise,
          judgement.e_value};
}

/// The stopping rule of `judge` on squares that are pairs of processes.
bool stops(const stats::PairSequence& sequence, const stats::JudgeOptions& options) {
  const Range range = sequence.range();
  if (stats::verdict_of(range, stats::indifference(options)) == Verdict::undecided) return false;
  const double estimate = std::clamp(stats::median(sequence.sorted()), range.low, range.high);
  return stats::narrow_enough(range, estimate, options);
}

/// Squares are pairs as long as each has its own processes: then looks cost little.
Outcome replay_units(DrawnContrast& contrast, const Method& method) {
  const auto options = options_of(method);
  stats::PairSequence sequence(options.alpha, options.prior);
  while (contrast.squares() < method.most_squares) {
    contrast.take_square();
    sequence.add(contrast.last_value(), 0);
    if (contrast.squares() < first_look || !stops(sequence, options)) continue;
    const Outcome outcome = judged(contrast, method);  // rare stalls are seen in the slices only
    if (outcome.settled(method.least_evidence)) return outcome;
  }
  return judged(contrast, method);
}

Outcome replay_mutant(DrawnContrast& contrast, const Method& method) {
  std::vector<double> values;
  Outcome outcome;
  while (contrast.squares() < method.most_squares) {
    contrast.take_square();
    values.push_back(contrast.last_value());
    if (values.size() < method.first_mutant_look) continue;
    outcome.range = bootstrap_interval(values, contrast.random());
    outcome.verdict = stats::verdict_of(outcome.range, stats::indifference(options_of(method)));
    outcome.squares = values.size();
    const double middle = (outcome.range.low + outcome.range.high) / 2;
    outcome.precise =
        outcome.verdict != Verdict::undecided && stats::narrow_enough(outcome.range, middle, options_of(method));
    if (outcome.precise) break;
  }
  return outcome;
}

}  // namespace

Outcome replay(const Noise& noise, double effect, const Method& method, std::uint64_t seed) {
  const bool any_judge = method.squares_per_process > 1 || method.drop_flagged;
  if (any_judge) return replay_plainly(noise, effect, method, seed);
  DrawnContrast contrast(noise, effect, method, seed);
  if (method.peeking_bootstrap) return replay_mutant(contrast, method);
  if (method.order != Order::sequential) return replay_units(contrast, method);
  while (contrast.squares() < method.most_squares) contrast.take_square();
  return judged(contrast, method);
}

Outcome replay_plainly(const Noise& noise, double effect, const Method& method, std::uint64_t seed) {
  DrawnContrast contrast(noise, effect, method, seed);
  Outcome outcome;
  while (contrast.squares() < method.most_squares && !outcome.settled(method.least_evidence)) {
    contrast.take_square();
    if (contrast.squares() % method.squares_per_process == 0) outcome = judged(contrast, method);
  }
  return contrast.squares() % method.squares_per_process == 0 ? outcome : judged(contrast, method);
}

Noise calibrated(Noise noise, double spread, const Method& method, std::uint64_t seed) {
  constexpr int attempts = 4;
  for (int attempt = 0; attempt <= attempts; ++attempt) {
    std::vector<double> values;
    for (std::uint64_t run = 0; run < 400; ++run) {
      DrawnContrast contrast(noise, 0, method, random_bits(seed, run));
      for (int square = 0; square < 12; ++square) {
        contrast.take_square();
        values.push_back(contrast.last_value());
      }
    }
    noise.spread = stats::robust_spread(values);
    if (noise.scaled && attempt < attempts) noise.scale *= spread / noise.spread;
  }
  return noise;
}

}  // namespace regatta::measuring
