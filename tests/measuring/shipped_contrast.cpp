#include "measuring/shipped_contrast.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "measure/simulated_arms.hpp"
#include "measuring/replay_slices.hpp"
#include "regatta/measure/run_block.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/slice_values.hpp"

namespace regatta::measuring {
namespace {

using measure::SimulatedArm;
using measure::SimulatedArms;
using measure::SimulatedSlice;

constexpr std::uint64_t square_slices = 4;
const SimulatedArm one_step_slices = {.step_seconds = stats::rules::slice_seconds};

/// Re-entry is one step, as a slice is: four slices of two steps, and less than one more for what else the clock
/// counts.
constexpr double budget_seconds =
    (static_cast<double>(shipped_squares) + 0.5) * 2 * square_slices * stats::rules::slice_seconds;

/// The replay's stream, asked in the same order: processes at the first slice of a square, then that slice.
class Draws {
 public:
  Draws(const Noise& noise, double effect, std::uint64_t seed)
      : random_(seed), stream_(noise.start(random_, noise.scale)), effect_(effect) {}
  Draws(const Draws&) = delete;  // the stream refers to random_
  Draws& operator=(const Draws&) = delete;

  measure::Disturbed next(const SimulatedSlice& slice) {
    if (slice.phase != stats::Phase::steady) return {};
    if (slice.number % (square_slices * shipped_squares_each) == 0) {
      for (double& speed : processes_) speed = random_.normal();
    }
    const auto position = static_cast<std::uint32_t>(slice.number % 2);
    SlicePlace place{slice.number, slice.number / square_slices, slice.arm, position, processes_[slice.arm]};
    place.effect = slice.arm == 0 ? effect_ : 0;
    const SliceDraw draw = stream_(place);
    return {draw.log_time + place.effect, draw.flags};
  }

 private:
  Random random_;
  NoiseStream stream_;
  double effect_;
  std::array<double, 2> processes_ = {};
};

sweep::BlockTask task_of(std::uint64_t seed, const sweep::BlockTask& of_sweep) {
  sweep::BlockTask task = measure::comparison(2, budget_seconds);
  task.block = of_sweep.block;
  task.contrasts = of_sweep.contrasts;
  task.families = of_sweep.families;
  const std::uint64_t order_seed = drawn_order_seed(seed);
  std::memcpy(task.hash.bytes.data(), &order_seed, sizeof order_seed);
  return task;
}

/// The loop judges its second arm over its first, which is the replay's arm a; the report may ask either way.
Outcome judged(const std::vector<stats::Sample>& samples) {
  const std::array<stats::ArmReading, 2> readings = {};
  const auto values = stats::slice_values(samples, readings);
  const auto judgement = stats::judge({values[0], values[1]}, {});
  std::set<std::uint16_t> squares;
  for (const stats::Sample& sample : samples)
    if (sample.phase == stats::Phase::steady) squares.insert(sample.square);
  return {judgement.verdict, {judgement.low, judgement.high}, judgement.flags, squares.size(), judgement.precise,
          judgement.e_value};
}

Outcome shipped(const Noise& noise, double effect, std::uint64_t seed, const sweep::BlockTask& of_sweep,
                measure::BlockBudget& budget) {
  Draws draws(noise, effect, seed);
  SimulatedArms arms({one_step_slices, one_step_slices});
  arms.whole_slices = true;
  arms.constant_clock = true;
  arms.noise = [&](const SimulatedSlice& slice) { return draws.next(slice); };
  const auto outcome = measure::run_block(arms, task_of(seed, of_sweep), budget);
  return judged(std::get<protocol::BlockResult>(outcome).samples);
}

}  // namespace

Outcome shipped(const Noise& noise, double effect, std::uint64_t seed) {
  measure::BlockBudget budget;
  return shipped(noise, effect, seed, {}, budget);
}

std::vector<Outcome> shipped_sweep(const KnownSweep& sweep, const Noise& noise, std::uint64_t seed) {
  measure::BlockBudget budget;
  sweep::BlockTask task;
  task.contrasts = static_cast<std::uint32_t>(sweep.log_effects.size());
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < sweep.log_effects.size(); ++i) {
    const std::size_t family = sweep.families[i];
    const auto members = static_cast<std::uint32_t>(std::ranges::count(sweep.families, family));
    task.block = BlockIndex{static_cast<std::uint32_t>(i)};
    task.families = {{static_cast<std::uint32_t>(family), members}};
    budget.spreads = {};  // the replay knows no comparisons before
    outcomes.push_back(shipped(noise, sweep.log_effects[i], random_bits(seed, i), task, budget));
  }
  return outcomes;
}

}  // namespace regatta::measuring
