#include "measuring/replay_slices.hpp"

#include <cmath>

#include "regatta/stats/slices.hpp"

namespace regatta::measuring {
namespace {

std::vector<std::uint32_t> turns(const Method& method, std::uint64_t seed) {
  const std::size_t rounds = 2 * method.most_squares;
  std::vector<std::uint32_t> arms;
  arms.reserve(2 * rounds);
  for (std::size_t round = 0; round < rounds; ++round) {
    if (method.order == Order::balanced) {
      for (const std::uint32_t arm : stats::round_order(2, round, seed)) arms.push_back(arm);
    } else if (method.order == Order::fixed) {
      arms.insert(arms.end(), {0, 1});
    } else {
      const std::uint32_t arm = round < rounds / 2 ? 0 : 1;
      arms.insert(arms.end(), {arm, arm});
    }
  }
  return arms;
}

}  // namespace

std::uint64_t drawn_order_seed(std::uint64_t seed) { return random_bits(seed, ~std::uint64_t{0}) % order_seeds; }

DrawnContrast::DrawnContrast(const Noise& noise, double effect, const Method& method, std::uint64_t seed)
    : method_(method), random_(seed), stream_(noise.start(random_, noise.scale)), effect_(effect) {
  turns_ = turns(method, drawn_order_seed(seed));
  for (auto* arm : {&slices_.a, &slices_.b}) arm->reserve(2 * method.most_squares);
}

void DrawnContrast::take_square() {
  if (squares_ % method_.squares_per_process == 0) {
    for (double& speed : processes_) speed = random_.normal();
  }
  for (int i = 0; i < 4; ++i) take_slice();
  ++squares_;
}

double DrawnContrast::last_value() const {
  const auto seconds = [](const auto& arm) { return arm[arm.size() - 2].seconds + arm.back().seconds; };
  return std::log(seconds(slices_.a) / seconds(slices_.b));
}

void DrawnContrast::take_slice() {
  const std::uint32_t arm = turns_[slice_];
  auto& of_arm = arm == 0 ? slices_.a : slices_.b;
  SlicePlace place{slice_, squares_, arm, static_cast<std::uint32_t>(slice_ % 2), processes_[arm]};
  place.effect = arm == 0 ? effect_ : 0;
  const SliceDraw draw = stream_(place);
  stats::SliceValue value;
  value.median_step_seconds = std::exp(draw.log_median + place.effect);
  value.seconds = method_.medians_of_steps ? value.median_step_seconds : std::exp(draw.log_time + place.effect);
  // Mutated orders leave no complete squares: they number squares by what each arm has run, and know no positions.
  value.square = static_cast<std::uint32_t>(of_arm.size() / 2);
  value.position = method_.order == Order::balanced ? place.position : 0;
  value.process = static_cast<std::uint32_t>(value.square / method_.squares_per_process);
  value.flags = draw.flags;
  of_arm.push_back(value);
  ++slice_;
}

}  // namespace regatta::measuring
