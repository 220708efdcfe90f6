#include "measuring/replay_noise.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>

#include "regatta/base/error.hpp"
#include "support/places.hpp"

namespace regatta::measuring {
namespace {

SliceDraw only_time(double log_time) { return {log_time, log_time, 0}; }

/// Independent slices, from one draw each.
Noise independent(const std::string& name, std::function<double(Random&)> draw) {
  return {.name = name, .start = [draw](Random& random, double scale) -> NoiseStream {
            return [&random, scale, draw](const SlicePlace&) { return only_time(scale * draw(random)); };
          }};
}

/// The machine remembers: neighbouring slices of either arm are alike.
Noise autoregressive() {
  return {.name = "AR(1) 0.9", .start = [](Random& random, double scale) -> NoiseStream {
            constexpr double rho = 0.9;
            return [&random, scale, state = random.normal()](const SlicePlace&) mutable {
              state = rho * state + std::sqrt(1 - rho * rho) * random.normal();
              return only_time(scale * state);
            };
          }};
}

/// Normal slices on top of what the machine does to both arms at a time.
Noise machine(const std::string& name, std::function<std::function<double(const SlicePlace&)>(Random&)> common) {
  return {.name = name, .start = [common](Random& random, double scale) -> NoiseStream {
            return [&random, scale, shift = common(random)](const SlicePlace& place) {
              return only_time(scale * random.normal() + shift(place));
            };
          }};
}

Noise drift() {
  constexpr double per_slice = 0.002;  // 67 % over 64 squares
  return machine("drift", [](Random&) {
    return [](const SlicePlace& place) { return per_slice * static_cast<double>(place.slice); };
  });
}

Noise step_at_half() {
  constexpr double step = 0.1;
  return machine("step at half", [](Random& random) {
    const double at = 24 + 16 * random.uniform();  // squares 6 to 10: about half of a typical contrast
    return [at](const SlicePlace& place) { return static_cast<double>(place.slice) > at ? step : 0.0; };
  });
}

Noise first_in_round() {
  return machine("first is slower",
                 [](Random&) { return [](const SlicePlace& place) { return place.position == 0 ? 0.03 : 0.0; }; });
}

Noise slow_slices() {
  return machine("5 % of slices 2x", [](Random& random) {
    return [&random](const SlicePlace&) { return random.uniform() < 0.05 ? std::log(2.0) : 0.0; };
  });
}

/// Slices of 250 steps, each with one chance in twenty to take 20 times as long.
double spiky_slice(Random& random) {
  constexpr int steps = 250;
  const double log_keep = std::log(0.95);
  int spikes = -1;
  for (double at = 0; at <= steps; ++spikes) at += 1 + std::floor(std::log(random.uniform()) / log_keep);
  return std::log(1 + 19.0 * spikes / steps);
}

Noise slow_steps(const std::string& name, bool both_arms) {
  constexpr double jitter = 0.002;
  return {.name = name,
          .start = [both_arms](Random& random, double) -> NoiseStream {
            return [&random, both_arms](const SlicePlace& place) -> SliceDraw {
              const double base = jitter * random.normal();
              const double spikes = both_arms || place.arm == 0 ? spiky_slice(random) : 0;
              return {base + spikes, base, 0};
            };
          },
          .scaled = false,
          .shift = both_arms ? 0 : std::log(1.95)};
}

/// Slice times in whole ticks of half a percent of the nominal time.
Noise lattice() {
  return {.name = "quantised lattice", .start = [](Random& random, double scale) -> NoiseStream {
            constexpr double tick = 0.005;
            return [&random, scale](const SlicePlace& place) {
              const double exact = std::exp(place.effect + scale * random.normal());
              return only_time(std::log(std::round(exact / tick) * tick) - place.effect);
            };
          }};
}

Noise processes() {
  constexpr double process = 0.005;
  constexpr double slice = 0.001;
  return {.name = "process N(0, 0.5 %)",
          .start = [](Random& random, double) -> NoiseStream {
            return [&random](const SlicePlace& place) {
              return only_time(process * place.process + slice * random.normal());
            };
          },
          .scaled = false};
}

/// Consecutive slices of a real machine at a busy time, from a random one on.
Noise recorded() {
  std::ifstream file(support::source_folder() + "/tests/measuring/replay_recorded.txt");
  auto slices = std::make_shared<std::vector<double>>();
  for (double microseconds = 0; file >> microseconds;) slices->push_back(std::log(microseconds));
  expect(slices->size() > 1000, "a recording of some thousand slices");
  return {.name = "recorded",
          .start = [slices](Random& random, double) -> NoiseStream {
            return [slices, at = random.bits()](const SlicePlace&) mutable {
              return only_time((*slices)[at++ % slices->size()]);
            };
          },
          .scaled = false};
}

/// Arm a throttles itself: half of its slices take 4 % longer and are flagged.
Noise throttled_arm() {
  return {.name = "a throttles itself",
          .start = [](Random& random, double) -> NoiseStream {
            return [&random](const SlicePlace& place) -> SliceDraw {
              const bool slow = place.arm == 0 && random.uniform() < 0.5;
              const double log_time = 0.002 * random.normal() + (slow ? 0.04 : 0);
              return {log_time, log_time, static_cast<std::uint8_t>(slow ? 2 : 0)};
            };
          },
          .scaled = false,
          .shift = 0.02};
}

}  // namespace

std::vector<Noise> t1_noises() {
  return {independent("iid", [](Random& random) { return random.normal(); }),
          autoregressive(),
          independent("t2", [](Random& random) { return random.t2(); }),
          drift(),
          step_at_half(),
          first_in_round(),
          slow_slices(),
          slow_steps("5 % of steps 20x", true),
          slow_steps("5 % of steps 20x, a only", false),
          lattice(),
          processes(),
          recorded()};
}

Noise noise(const std::string& name) {
  std::vector<Noise> all = t1_noises();
  all.push_back(throttled_arm());
  const auto found = std::find_if(all.begin(), all.end(), [&](const Noise& each) { return each.name == name; });
  expect(found != all.end(), "a noise of this name");
  return *found;
}

}  // namespace regatta::measuring
