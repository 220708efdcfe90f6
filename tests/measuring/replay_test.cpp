// T1: verdicts on noise that is known, without a clock.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdio>

#include "measuring/replay_cell.hpp"

namespace regatta::measuring {
namespace {

constexpr std::size_t runs = 500;  // bench_early_replay takes many more

void expect_bars(const Cell& cell) {
  print(cell);
  for (const std::string& missed : broken_bars(cell))
    ADD_FAILURE() << cell.noise << ", " << cell.effect << " delta: " << missed;
}

class Replay : public testing::TestWithParam<std::string> {};

TEST_P(Replay, KeepsTheBarsAtEveryEffect) {
  const std::uint64_t seed = replay_seed();
  const Noise calm = calibrated(noise(GetParam()), quiet_spread, {}, seed);
  print_header(runs, seed);
  for (const double effect : {0.0, 0.5, 1.0, 2.0, 5.0}) expect_bars(run_cell(calm, effect, {}, runs, seed));
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Noise& each : t1_noises()) all.push_back(each.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Noise, Replay, testing::ValuesIn(names()), [](const auto& tested) {
  std::string name;
  for (const char c : tested.param) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  }
  return name;
});

// Frameworks: processes that serve several squares.
TEST(ReplayProcesses, KeepTheBarsWithFewPairs) {
  const std::uint64_t seed = replay_seed();
  const Noise bias = calibrated(noise("process N(0, 0.5 %)"), quiet_spread, {}, seed);
  for (const std::size_t squares_per_process : {21U, 6U}) {
    const Method method{.squares_per_process = squares_per_process};
    std::printf("%zu squares for each pair of processes; ", squares_per_process);
    print_header(60, seed);
    for (const double effect : {0.0, 0.5, 1.0, 2.0, 5.0}) expect_bars(run_cell(bias, effect, method, 60, seed));
  }
}

// The replay is affordable because of this: where squares have processes of their own, looks at a sequence are cheap.
TEST(ReplayLooks, FindWhatTheJudgeSaysAfterEverySquare) {
  for (const std::string& name : names()) {
    const Noise each = calibrated(noise(name), quiet_spread, {}, 1);
    constexpr Method few{.most_squares = 20};
    for (std::uint64_t run = 0; run < 5; ++run) {
      const Outcome quick = replay(each, 0.005, few, run);
      const Outcome plain = replay_plainly(each, 0.005, few, run);
      EXPECT_EQ(quick.squares, plain.squares) << name;
      EXPECT_EQ(quick.verdict, plain.verdict) << name;
      EXPECT_EQ(quick.range, plain.range) << name;
    }
  }
}

}  // namespace
}  // namespace regatta::measuring
