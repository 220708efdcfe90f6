#include "measuring/early_replay.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "stats/verdict.hpp"

namespace regatta::measuring {
namespace {

using stats::Verdict;

/// One contrast, pair after pair.
class EarlyContrast {
 public:
  EarlyContrast(const EarlyNoise& noise, double effect, std::size_t squares_each, std::uint64_t seed)
      : noise_(noise), effect_(effect), squares_each_(squares_each), random_(seed) {}

  void take_pair() {
    const double ratio = effect_ + ratio_of_pair();
    const std::array<double, 2> processes = {of_process() + noise_.drift_of_a * pair_, of_process()};
    for (std::size_t square = 0; square < squares_each_; ++square) take_square(ratio, processes);
    ++pair_;
  }

  [[nodiscard]] const stats::ContrastSlices& slices() const { return slices_; }

 private:
  double normal() { return normal_(random_); }
  bool happens(double share) { return share > 0 && uniform_(random_) < share; }

  double ratio_of_pair() {
    if (noise_.remembered > 0) {
      const double fresh = std::sqrt(1 - noise_.remembered * noise_.remembered);
      level_ = pair_ == 0 ? normal() : noise_.remembered * level_ + fresh * normal();
      return noise_.of_pairs * level_;
    }
    if (noise_.tails > 0) return noise_.of_pairs * std::student_t_distribution<double>(noise_.tails)(random_);
    return noise_.of_pairs * normal();
  }

  double of_process() { return happens(noise_.slow.share) ? std::log(noise_.slow.factor) : 0; }

  double of_slice(bool is_a) {
    double log_time = noise_.of_slices * normal();
    if (noise_.remembered_by_slices > 0) {
      slice_level_ = noise_.remembered_by_slices * slice_level_ +
                     std::sqrt(1 - noise_.remembered_by_slices * noise_.remembered_by_slices) * normal();
      log_time += 0.03 * slice_level_;
    }
    log_time += noise_.drift_of_slices * static_cast<double>(slice_++ % 256);
    if ((is_a || !noise_.stalls.in_a_alone) && happens(noise_.stalls.share)) log_time += std::log(noise_.stalls.factor);
    return log_time;
  }

  /// AB BA or BA AB.
  void take_square(double ratio, const std::array<double, 2>& processes) {
    const bool a_first = happens(0.5);
    for (std::uint32_t turn = 0; turn < 4; ++turn) {
      const bool is_a = (turn == 0 || turn == 3) == a_first;
      const double log_time = of_slice(is_a) + (is_a ? ratio + processes[0] : processes[1]);
      (is_a ? slices_.a : slices_.b)
          .push_back({.seconds = std::exp(log_time), .process = pair_, .square = square_, .position = turn % 2});
    }
    ++square_;
  }

  const EarlyNoise& noise_;
  double effect_;
  std::size_t squares_each_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  stats::ContrastSlices slices_;
  std::uint32_t pair_ = 0;
  std::uint32_t square_ = 0;
  std::uint64_t slice_ = 0;
  double level_ = 0;
  double slice_level_ = 0;
};

stats::SpreadPrior prior_of(const EarlyCell& cell, std::uint64_t seed) {
  constexpr std::size_t pairs = 10;
  if (cell.history == History::none) return {};
  const EarlyNoise quiet{.name = "quiet", .of_slices = 0.005, .of_pairs = 0.003};
  EarlyContrast clone(cell.history == History::right ? cell.noise : quiet, 0, cell.squares_each, seed);
  for (std::size_t pair = 0; pair < pairs; ++pair) clone.take_pair();
  return stats::prior_from(stats::history_of(stats::judge(clone.slices(), {.margin = cell.margin}), true));
}

/// Log ratio of expected totals.
double truth_of(const EarlyCell& cell) {
  const Stalls& stalls = cell.noise.stalls;
  const double of_stalls = stalls.in_a_alone ? std::log1p(stalls.share * (stalls.factor - 1)) : 0;
  return std::log1p(cell.effect) + of_stalls;
}

bool is_wrong(Verdict verdict, double truth, double delta) {
  if (verdict == Verdict::undecided) return false;
  if (std::abs(truth) < delta * 0.99) return verdict != Verdict::same;
  return verdict != (truth > 0 ? Verdict::slower : Verdict::faster);
}

struct Told {
  Verdict verdict = Verdict::undecided;
  stats::Range range;
  double pairs = std::numeric_limits<double>::infinity();
};

/// Looks after every pair, and stops at the first that tells.
Told told_by(const EarlyCell& cell, std::uint64_t seed) {
  EarlyContrast contrast(cell.noise, std::log1p(cell.effect), cell.squares_each, seed);
  for (std::size_t pair = 0; pair < cell.most_pairs; ++pair) contrast.take_pair();
  const stats::JudgeOptions options{.margin = cell.margin, .prior = prior_of(cell, seed + 1)};
  const auto tells = [&](const stats::Judgement& judgement) {
    return judgement.verdict == Verdict::same ||
           (judgement.verdict != Verdict::undecided && judgement.e_value >= cell.needed_evidence);
  };
  const stats::Judgement last = stats::judge_each_pair(contrast.slices(), options, tells).back();
  Told told{.range = {last.low, last.high}};
  if (!tells(last)) return told;
  told.verdict = last.verdict;
  told.pairs = static_cast<double>(last.units);
  return told;
}

}  // namespace

std::vector<EarlyNoise> early_noises() {
  return {{"quiet 0.3 %", .005, .003},
          {"processes 1 %", .01, .01},
          {"processes 3 %", .01, .03},
          {"processes 5 %", .01, .05},
          {"processes 10 %", .01, .10},
          {.name = "t(2), 1 %", .of_slices = .01, .of_pairs = .01, .tails = 2},
          {.name = "5 % of slices x 2", .of_slices = .01, .of_pairs = .005, .stalls = {.05, 2}},
          {.name = "slices AR(1) 0.9, 3 %", .of_slices = .01, .of_pairs = .005, .remembered_by_slices = .9},
          {.name = "drift 0.2 % a slice", .of_slices = .01, .of_pairs = .005, .drift_of_slices = .002},
          {.name = "30 % of processes x 1.05", .of_slices = .005, .of_pairs = .003, .slow = {.3, 1.05}},
          {.name = "5 % of processes x 2", .of_slices = .005, .of_pairs = .003, .slow = {.05, 2}},
          {.name = "10 % of processes x 1.3", .of_slices = .005, .of_pairs = .003, .slow = {.1, 1.3}},
          {.name = "20 % of processes x 1.3", .of_slices = .005, .of_pairs = .003, .slow = {.2, 1.3}},
          {.name = "disturbed", .of_slices = .3, .of_pairs = .005, .stalls = {.2, 3}},
          {.name = "a stalls 15 % x 2", .of_slices = .01, .of_pairs = .005, .stalls = {.15, 2, true}},
          {.name = "a stalls 20 % x 3", .of_slices = .01, .of_pairs = .005, .stalls = {.2, 3, true}},
          {.name = "a stalls 10 % x 5", .of_slices = .01, .of_pairs = .005, .stalls = {.1, 5, true}},
          {.name = "pairs AR(1) 0.5, 2 %", .of_slices = .005, .of_pairs = .02, .remembered = .5},
          {.name = "pairs AR(1) 0.8, 2 %", .of_slices = .005, .of_pairs = .02, .remembered = .8},
          {.name = "a throttles 0.2 % a pair", .of_slices = .005, .of_pairs = .005, .drift_of_a = .002}};
}

EarlyOutcome run_early(const EarlyCell& cell, std::size_t draws, std::uint64_t seed) {
  const double truth = truth_of(cell), delta = std::log1p(cell.margin);
  EarlyOutcome outcome;
  std::vector<double> pairs;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    const Told told = told_by(cell, seed * 1'000'003 + 2 * draw);
    outcome.told += told.verdict != Verdict::undecided ? 1 : 0;
    outcome.covered += told.range.contains(truth) ? 1 : 0;
    outcome.wrong += is_wrong(told.verdict, truth, delta) ? 1 : 0;
    pairs.push_back(told.pairs);
  }
  for (double* share : {&outcome.told, &outcome.covered, &outcome.wrong}) *share /= static_cast<double>(draws);
  std::ranges::sort(pairs);
  outcome.median_pairs = pairs[pairs.size() / 2];
  return outcome;
}

}  // namespace regatta::measuring
