#include "regatta/stats/clones.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "regatta/stats/pilot.hpp"
#include "regatta/stats/rules.hpp"
#include "stats/contrast_blocks.hpp"

namespace regatta::stats {
namespace {

/// What is left of a difference once its own scatter is taken out of it: the squares of both add.
double beyond(double difference, double scatter) {
  return std::sqrt(std::max(0.0, difference * difference - scatter * scatter));
}

/// How far single squares are off their pair.
double spread_within(const std::vector<Block>& squares, const std::vector<Pair>& pairs) {
  std::vector<double> off;
  auto pair = pairs.begin();
  std::size_t seen = 0;
  for (const Block& square : squares) {
    if (pair->squares > 1) off.push_back(log_ratio(square) - log_ratio(pair->total));
    if (++seen == pair->squares) {
      ++pair;
      seen = 0;
    }
  }
  return robust_spread(off);
}

/// What pairs scatter beyond what their squares explain.
double effect_of(const std::vector<double>& pairs, double scatter_squares) {
  double squares = -scatter_squares;
  for (const double pair : pairs) squares += pair * pair;
  const double beyond_scatter = std::sqrt(std::max(0.0, squares) / static_cast<double>(pairs.size()));
  const double effect = std::min(process_effect(pairs), rules::p95_spreads * beyond_scatter);
  const bool is_known = pairs.size() >= rules::enough_process_pairs;
  return is_known ? effect : std::max(effect, rules::assumed_process_effect);
}

}  // namespace

double absolute_p95(std::span<const double> log_ratios) {
  if (log_ratios.empty()) return 0;
  std::vector<double> sizes;
  for (const double value : log_ratios) sizes.push_back(std::abs(value));
  std::sort(sizes.begin(), sizes.end());
  const std::size_t rank = (rules::floor_percent * sizes.size() + 99) / 100;  // from 1, rounded up
  return sizes[rank - 1];
}

double noise_floor(std::span<const double> clone_estimates) { return std::expm1(absolute_p95(clone_estimates)); }

void CloneChecks::add(Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
      ++same;
      return;
    case Verdict::undecided:
      ++undecided;
      return;
    case Verdict::faster:
    case Verdict::slower:
      ++wrong;
  }
}

std::string clone_checks_text(const CloneChecks& checks) {
  return std::to_string(checks.same) + " same, " + std::to_string(checks.undecided) + " undecided, " +
         std::to_string(checks.wrong) + " false";
}

bool doubted(double log_ratio, const CloneChecks& checks, double delta) {
  return checks.wrong > 0 && std::abs(log_ratio) < rules::doubted_deltas * delta;
}

void ClonePool::add(std::string_view engine, const ContrastSlices& clone, const JudgeOptions& options) {
  const auto squares = complete_squares(clone);
  if (squares.empty()) return;
  Engine& known = engines_.try_emplace(std::string(engine)).first->second;
  const auto pairs = pairs_of(squares);
  const double within = spread_within(squares, pairs);
  for (const Pair& pair : pairs) {
    known.pairs.push_back(log_ratio(pair.total));
    if (pair.squares > 1) known.scatter_squares += within * within / static_cast<double>(pair.squares);
  }
  known.process_effect = effect_of(known.pairs, known.scatter_squares);
  const Judgement judgement = judge(clone, options);
  if (!std::isfinite(judgement.low) || !std::isfinite(judgement.high)) return;
  const double error = std::abs(judgement.high - judgement.low) / 2 / rules::interval_errors;
  known.estimates.push_back(beyond(judgement.estimate, error));
  known.floor = noise_floor(known.estimates);
}

JudgeOptions ClonePool::options_for(JudgeOptions options, std::string_view a, std::string_view b) const {
  options.floor = std::max({options.floor, floor_of(a), floor_of(b)});
  options.process_effect = std::max(process_effect_of(a), process_effect_of(b));
  return options;
}

double ClonePool::floor_of(std::string_view engine) const {
  const auto known = engines_.find(engine);
  return known == engines_.end() ? 0 : known->second.floor;
}

double ClonePool::process_effect_of(std::string_view engine) const {
  const auto known = engines_.find(engine);
  return known == engines_.end() ? rules::assumed_process_effect : known->second.process_effect;
}

}  // namespace regatta::stats
