#include "regatta/stats/order_effects.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "regatta/stats/confidence_sequence.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::stats {
namespace {

/// Logs of the times of one arm in one square at each position.
using Positions = std::vector<std::vector<double>>;

/// Mean log at each position at which the arm stood, less the mean of these; nothing elsewhere.
std::vector<std::optional<double>> centred(const Positions& positions) {
  std::vector<std::optional<double>> means;
  std::vector<double> known;
  for (const auto& logs : positions) {
    means.push_back(mean(logs));
    if (means.back()) known.push_back(*means.back());
  }
  const double centre = mean(known).value_or(0);
  for (auto& value : means)
    if (value) *value -= centre;
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

constexpr double of_median = 1.2533;  // standard error of a median, in standard errors of a mean
constexpr double standard_errors = 3;
constexpr std::size_t settled_in_a_row = 2;

/// Log of each sample against the median of its slice's second half.
std::vector<double> deviations(const std::vector<double>& slice, std::size_t samples) {
  const auto half = slice.begin() + static_cast<std::ptrdiff_t>(samples / 2);
  const double settled = median({half, slice.begin() + static_cast<std::ptrdiff_t>(samples)});
  std::vector<double> logs;
  for (std::size_t i = 0; i < samples; ++i)
    logs.push_back(std::log(std::max(slice[i], 1e-12) / std::max(settled, 1e-12)));
  return logs;
}

}  // namespace

std::vector<Estimate> position_effects(std::span<const std::span<const SliceValue>> arms, double alpha) {
  std::map<std::uint32_t, std::vector<std::vector<double>>> of_square;  // at each place, by arm
  std::size_t places = 0;
  for (const auto& arm : arms) {
    for (const auto& [square, positions] : by_square(arm)) {
      std::vector<std::vector<double>>& of_places = of_square[square];
      of_places.resize(std::max(of_places.size(), positions.size()));
      const auto effects = centred(positions);
      for (std::size_t place = 0; place < effects.size(); ++place)
        if (effects[place]) of_places[place].push_back(*effects[place]);
      places = std::max(places, of_places.size());
    }
  }
  if (places < 2) return {};
  std::vector<std::vector<double>> values(places);  // one for each square in which an arm stood there
  for (const auto& [square, of_places] : of_square)
    for (std::size_t place = 0; place < of_places.size(); ++place)
      if (const auto value = mean(of_places[place])) values[place].push_back(*value);
  std::vector<Estimate> result;
  for (const std::vector<double>& here : values)
    result.push_back(here.empty() ? Estimate{0, {}} : Estimate{median(here), sign_interval(here, alpha)});
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
  const bool agree = 100 * std::max(slower, faster) >= rules::first_slice_percent * squares;
  return squares >= rules::first_slice_squares && agree;
}

bool position_matters(std::span<const Estimate> effects, double limit) {
  return std::any_of(effects.begin(), effects.end(), [limit](const Estimate& effect) {
    return effect.range.low > limit || effect.range.high < -limit;
  });
}

Range quarters_interval(std::span<const SliceValue> arm, double alpha) {
  std::vector<double> logs;
  logs.reserve(arm.size());
  for (const SliceValue& slice : arm) {
    if (slice.first_quarter > 0 && slice.last_quarter > 0) {
      logs.push_back(std::log(slice.first_quarter / slice.last_quarter));
    }
  }
  return sign_interval(std::move(logs), alpha);
}

bool carries_over(std::span<const SliceValue> arm, double delta, double alpha) {
  const Range range = quarters_interval(arm, alpha);
  return range.low > delta || range.high < -delta;
}

std::size_t unsettled_samples(std::span<const std::vector<double>> slices, double delta) {
  if (slices.empty()) return 0;
  const std::size_t samples = std::ranges::min_element(slices, {}, &std::vector<double>::size)->size();
  if (samples < 2) return 0;
  std::vector<std::vector<double>> logs;
  std::vector<double> settled;
  for (const auto& slice : slices) {
    logs.push_back(deviations(slice, samples));
    settled.insert(settled.end(), logs.back().begin() + static_cast<std::ptrdiff_t>(samples / 2), logs.back().end());
  }
  const double chance =
      standard_errors * of_median * robust_spread(settled) / std::sqrt(static_cast<double>(slices.size()));
  std::size_t unsettled = 0;
  for (std::size_t i = 0; i + 1 < samples && i < unsettled + settled_in_a_row; ++i) {
    std::vector<double> position;
    for (const auto& slice : logs) position.push_back(slice[i]);
    if (std::abs(median(std::move(position))) > std::max(delta, chance)) unsettled = i + 1;
  }
  return unsettled;
}

}  // namespace regatta::stats
