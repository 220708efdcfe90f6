#include "regatta/stats/position_effect.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "regatta/stats/confidence_sequence.hpp"
#include "regatta/stats/summary.hpp"

namespace regatta::stats {
namespace {

/// Logs of the times of one arm in one square at each position.
using Positions = std::vector<std::vector<double>>;

/// Mean log at each position, less the mean of all; empty if the arm did not stand everywhere equally often.
std::vector<double> centred(const Positions& positions) {
  std::vector<double> means;
  for (const auto& logs : positions) {
    if (logs.empty() || logs.size() != positions.front().size()) return {};
    means.push_back(*mean(logs));
  }
  const double centre = *mean(means);
  for (double& value : means) value -= centre;
  return means;
}

std::map<std::uint32_t, Positions> by_square(std::span<const SliceValue> arm) {
  std::map<std::uint32_t, Positions> squares;
  for (const SliceValue& slice : arm) {
    const double log_time = std::log(slice.seconds / slice.work);
    if (!std::isfinite(log_time)) continue;
    Positions& positions = squares[slice.square];
    if (slice.position >= positions.size()) positions.resize(slice.position + 1);
    positions[slice.position].push_back(log_time);
  }
  return squares;
}

}  // namespace

std::vector<Estimate> position_effects(std::span<const std::span<const SliceValue>> arms, double alpha) {
  std::map<std::uint32_t, std::vector<std::vector<double>>> of_square;  // arms, then positions
  std::size_t places = 0;
  for (const auto& arm : arms) {
    for (const auto& [square, positions] : by_square(arm)) {
      auto effects = centred(positions);
      places = std::max(places, effects.size());
      if (!effects.empty()) of_square[square].push_back(std::move(effects));
    }
  }
  if (places < 2) return {};
  std::vector<Estimate> result(places);
  for (std::size_t place = 0; place < places; ++place) {
    std::vector<double> values;  // one for each square
    for (const auto& [square, in_square] : of_square) {
      std::vector<double> here;
      for (const auto& effects : in_square) {
        if (effects.size() == places) here.push_back(effects[place]);
      }
      if (const auto value = mean(here)) values.push_back(*value);
    }
    result[place] = {median(values), sign_interval(values, alpha)};
  }
  return result;
}

bool first_slice_matters(std::span<const std::span<const SliceValue>> arms, double limit) {
  std::size_t squares = 0;
  std::size_t slower = 0;
  std::size_t faster = 0;
  for (const auto& arm : arms) {
    for (std::size_t i = 0; i < arm.size(); ++i) {
      const bool opens_square = i == 0 || arm[i - 1].square != arm[i].square;
      if (!opens_square || arm[i].position != 0) continue;
      std::vector<double> others;
      for (std::size_t j = i + 1; j < arm.size() && arm[j].square == arm[i].square; ++j)
        others.push_back(std::log(arm[j].seconds / arm[j].work));
      if (others.empty()) continue;
      const double effect = std::log(arm[i].seconds / arm[i].work) - *mean(others);
      ++squares;
      if (effect > limit) ++slower;
      if (effect < -limit) ++faster;
    }
  }
  constexpr std::size_t fewest = 4;
  return squares >= fewest && 5 * std::max(slower, faster) >= 4 * squares;
}

bool position_matters(std::span<const Estimate> effects, double limit) {
  return std::any_of(effects.begin(), effects.end(), [limit](const Estimate& effect) {
    return effect.range.low > limit || effect.range.high < -limit;
  });
}

}  // namespace regatta::stats
