// The discoveries in a sweep of many contrasts, and the share of false ones (measuring.md R12), on noise without a
// machine.
//
// bench_many_contrasts [CONTRASTS] [SWEEPS]: the mean over SWEEPS simulated sweeps of CONTRASTS contrasts (10000, 3).
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include "measuring/replay_cell.hpp"
#include "measuring/replay_sweep.hpp"

namespace {

using namespace regatta::measuring;

constexpr int exit_bad_input = 2;

struct Rule {
  const char* name;
  StopsAt stop;
  Control control;
};

constexpr std::array<Rule, 4> rules = {{{"2/a, sweep", StopsAt::twice, Control::sweep},
                                        {"2/a, pairs", StopsAt::twice, Control::pairs},
                                        {"m/(k a), both", StopsAt::its_rank, Control::both},
                                        {"m/a, both", StopsAt::first, Control::both}}};

void print_row(const KnownSweep& sweep, const Rule& rule, const std::vector<Discovered>& all) {
  const auto mean = [&](auto&& value) {
    double sum = 0;
    for (const Discovered& each : all) sum += static_cast<double>(value(each));
    return sum / static_cast<double>(all.size());
  };
  const double real = mean([](const Discovered& each) { return each.real; });
  fmt::print("{:<32}  {:<13} {:>5.0f} {:>8.1f} {:>6.1f} {:>6.1f} {:>8.2f} {:>10.1f} {:>8.0f} {:>8.1f}\n", sweep.name,
             rule.name, real, 100 * mean([](const Discovered& each) { return each.found; }) / real,
             100 * mean([](const Discovered& each) { return each.doubtful; }) / real,
             mean([](const Discovered& each) { return each.false_found; }),
             100 * mean([](const Discovered& each) { return each.false_share; }),
             100 * mean([](const Discovered& each) { return each.worst_false_share; }),
             mean([](const Discovered& each) { return each.real_squares; }),
             mean([](const Discovered& each) { return each.squares; }));
}

void print_table(const std::vector<KnownSweep>& sweeps, const Noise& noise, std::uint64_t repeats) {
  fmt::print("{}, spread of squares {:.2f} %\n", noise.name, 100 * noise.spread);
  fmt::print("{:<32}  {:<13} {:>5} {:>8} {:>6} {:>6} {:>8} {:>10} {:>8} {:>8}\n", "sweep", "rule", "real", "found %",
             "? %", "false", "false %", "of a pair", "sq. real", "sq. all");
  for (const KnownSweep& sweep : sweeps) {
    std::array<std::vector<Discovered>, rules.size()> found;
    for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
      for (const StopsAt stop : {StopsAt::twice, StopsAt::its_rank, StopsAt::first}) {
        const auto outcomes = take_sweep(sweep, noise, stop, regatta::random_bits(replay_seed(), repeat));
        for (std::size_t i = 0; i < rules.size(); ++i) {
          if (rules[i].stop == stop) found[i].push_back(discovered(sweep, outcomes, rules[i].control));
        }
      }
    }
    for (std::size_t i = 0; i < rules.size(); ++i) print_row(sweep, rules[i], found[i]);
  }
}

std::size_t number(int argc, char** argv, int at, std::size_t otherwise) {
  if (argc <= at) return otherwise;
  const std::string_view text = argv[at];
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t contrasts = number(argc, argv, 1, 10'000);
  const std::size_t repeats = number(argc, argv, 2, 3);
  if (contrasts < 100 || repeats < 1 || argc > 3) {
    std::fputs("usage: bench_many_contrasts [CONTRASTS, at least 100] [SWEEPS]\n", stderr);
    return exit_bad_input;
  }
  const double margin = std::log(1.01);
  const std::vector<KnownSweep> sweeps = {one_percent_real(contrasts, 10, 0), one_percent_real(contrasts, 10, margin),
                                          one_pair_real(contrasts, margin)};
  fmt::print("seed {}, {} contrasts, mean of {} sweeps\n", replay_seed(), contrasts, repeats);
  for (const char* name : {"process N(0, 0.5 %)", "recorded"})
    print_table(sweeps, calibrated(noise(name), quiet_spread, {}, replay_seed()), repeats);
  return 0;
}
