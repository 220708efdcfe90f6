// The draws of simulated comparisons, and what Regatta says of them: bench/rules_table.py asks other rules about the
// same.
//
// bench_known_draws NOISE EFFECT CONTRASTS SLICES SEED prints one JSON object a line for each contrast: arm a takes
// exp(EFFECT) times as long as arm b. "a" and "b" say what each arm would take in slice 0, 1, ... of the
// machine's time, "fresh_a" and "fresh_b" the same with a new process for each slice.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measuring/replay_cell.hpp"
#include "regatta/stats/rules.hpp"

namespace {

using namespace regatta::measuring;

constexpr int exit_bad_input = 2;
constexpr std::uint64_t square_slices = 4;

struct Arm {
  std::uint32_t number = 0;
  double effect = 0;
  bool fresh = false;  ///< each slice in a process of its own
};

/// As the replay draws: two speeds of processes at the first slice of each square, then the machine's noise, so that
/// slice i of every rule sees what slice i of Regatta's squares saw.
std::vector<double> timeline(const Noise& noise, const Arm& arm, std::uint64_t slices, std::uint64_t seed) {
  Random random(seed);
  Random of_fresh(regatta::random_bits(seed, arm.number));
  const NoiseStream stream = noise.start(random, noise.scale);
  std::array<double, 2> speeds = {};
  std::vector<double> seconds;
  for (std::uint64_t slice = 0; slice < slices; ++slice) {
    if (slice % square_slices == 0) {
      const std::array<double, 2> drawn = {random.normal(), random.normal()};
      if (slice == 0) speeds = drawn;
    }
    SlicePlace place{slice, slice / square_slices, arm.number, 1, speeds[arm.number]};
    if (arm.fresh) place.process = of_fresh.normal();
    place.effect = arm.effect;
    seconds.push_back(std::exp(stream(place).log_time + arm.effect));
  }
  return seconds;
}

void print_contrast(const Noise& noise, double effect, std::uint64_t slices, std::uint64_t seed) {
  const Outcome regatta_says = replay(noise, effect, {.least_evidence = 1 / regatta::stats::rules::alpha}, seed);
  const auto drawn = [&](const Arm& arm) {
    return fmt::format("[{:.6g}]", fmt::join(timeline(noise, arm, slices, seed), ","));
  };
  fmt::print(R"({{"verdict":"{}","squares":{},"a":{},"b":{},"fresh_a":{},"fresh_b":{}}})",
             regatta::stats::verdict_name(regatta_says.verdict), regatta_says.squares, drawn({0, effect}),
             drawn({1, 0}), drawn({0, effect, true}), drawn({1, 0, true}));
  fmt::print("\n");
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  const auto effect = argc == 6 ? number<double>(argv[2]) : std::nullopt;
  const auto contrasts = argc == 6 ? number<std::uint64_t>(argv[3]) : std::nullopt;
  const auto slices = argc == 6 ? number<std::uint64_t>(argv[4]) : std::nullopt;
  const auto seed = argc == 6 ? number<std::uint64_t>(argv[5]) : std::nullopt;
  if (!effect || !contrasts || !slices || !seed) {
    std::fputs("usage: bench_known_draws NOISE EFFECT CONTRASTS SLICES SEED\n", stderr);
    return exit_bad_input;
  }
  const Noise calm = calibrated(noise(argv[1]), quiet_spread, {}, *seed);
  for (std::uint64_t contrast = 0; contrast < *contrasts; ++contrast)
    print_contrast(calm, *effect, *slices, regatta::random_bits(*seed, contrast));
  return 0;
}
