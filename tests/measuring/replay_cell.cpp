#include "measuring/replay_cell.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "regatta/stats/summaries.hpp"

namespace regatta::measuring {
namespace {

using stats::Verdict;

const double delta = stats::indifference({.margin = 0.01});

bool at_limit(const Cell& cell) { return std::abs(cell.truth - 1) < 1e-9; }
bool no_difference(const Cell& cell) { return cell.truth < 1 && !at_limit(cell); }

/// Bars are exact for 10,000 runs; fewer are given three standard errors.
double allowance(const Cell& cell) {
  return cell.runs >= 10'000 ? 0 : 3 * std::sqrt(0.05 * 0.95 / static_cast<double>(cell.runs));
}

}  // namespace

double wrong_share(const Cell& cell) {
  if (at_limit(cell)) return std::max({cell.faster, cell.slower, cell.same});
  return no_difference(cell) ? cell.faster + cell.slower : cell.faster + cell.same;
}

double power(const Cell& cell) {
  if (at_limit(cell)) return 0;
  return no_difference(cell) ? cell.same : cell.slower;
}

Cell run_cell(const Noise& noise, double effect, const Method& method, std::size_t runs, std::uint64_t seed,
              const TakeContrast& take) {
  Cell cell{.noise = noise.name, .effect = effect, .truth = effect + noise.shift / delta, .runs = runs};
  cell.spread = noise.spread / delta;
  cell.replicated = method.squares_per_process == 1;
  std::vector<double> squares;
  const double share = 1 / static_cast<double>(runs);
  const std::uint64_t effect_seed = random_bits(seed, static_cast<std::uint64_t>(100 * effect));
  for (std::uint64_t run = 0; run < runs; ++run) {
    const Outcome outcome = take(effect * delta, random_bits(effect_seed, run));
    cell.faster += outcome.verdict == Verdict::faster ? share : 0;
    cell.slower += outcome.verdict == Verdict::slower ? share : 0;
    cell.same += outcome.verdict == Verdict::same ? share : 0;
    cell.undecided += outcome.verdict == Verdict::undecided ? share : 0;
    const bool covered = outcome.range.contains(cell.truth * delta);
    const bool drifting = outcome.flags.has(stats::Flag::drifting);
    cell.covered += covered ? share : 0;
    cell.covered_or_drifting += covered || drifting ? share : 0;
    squares.push_back(static_cast<double>(outcome.squares));
  }
  cell.median_squares = stats::median(std::move(squares));
  return cell;
}

Cell run_cell(const Noise& noise, double effect, const Method& method, std::size_t runs, std::uint64_t seed) {
  return run_cell(noise, effect, method, runs, seed, [&](double log_effect, std::uint64_t contrast_seed) {
    return replay(noise, log_effect, method, contrast_seed);
  });
}

std::vector<std::string> broken_bars(const Cell& cell) {
  constexpr double quiet = 0.7 * 1.025;  // spread is measured, too
  const double slack = allowance(cell);
  std::vector<std::string> missed;
  const auto bar = [&](bool holds, const std::string& what, double share) {
    if (!holds) missed.push_back(what + ": " + std::to_string(100 * share) + " %");
  };
  bar(wrong_share(cell) <= 0.05 + slack, "wrong side", wrong_share(cell));
  bar(cell.covered_or_drifting >= 0.95 - slack, "coverage at stopping", cell.covered_or_drifting);
  if (cell.spread > quiet || !cell.replicated) return missed;
  if (cell.truth == 0) bar(cell.same >= 0.95 - slack, "same at 0", cell.same);
  if (cell.truth >= 2 - 1e-9) bar(cell.slower >= 0.95 - slack, "power", cell.slower);
  return missed;
}

std::uint64_t replay_seed() {
  const char* text = std::getenv("REGATTA_REPLAY_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 20260101;
}

std::size_t replay_runs(std::size_t usual) {
  const char* text = std::getenv("REGATTA_REPLAY_RUNS");
  return text != nullptr ? std::min<std::size_t>(usual, std::strtoull(text, nullptr, 10)) : usual;
}

void print_header(std::size_t runs, std::uint64_t seed) {
  std::printf("seed %llu, %zu runs each; effect and spread of block values in delta = log(1.01)\n",
              static_cast<unsigned long long>(seed), runs);
  std::printf("%-28s %6s %7s | %7s %7s %7s %9s %9s %8s\n", "noise", "effect", "spread", "wrong %", "same %", "power %",
              "covered %", "or drift", "squares");
}

void print(const Cell& cell) {
  std::printf("%-28s %6.2f %7.2f | %7.2f %7.2f %7.2f %9.2f %9.2f %8.0f\n", cell.noise.c_str(), cell.effect, cell.spread,
              100 * wrong_share(cell), 100 * cell.same, 100 * power(cell), 100 * cell.covered,
              100 * cell.covered_or_drifting, cell.median_squares);
}

}  // namespace regatta::measuring
