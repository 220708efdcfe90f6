#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/learning/learning.hpp"
#include "regatta/base/random.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::analysis {
namespace {

constexpr std::size_t resamples = 2000;
constexpr std::size_t most_resampled = 2000;   // beyond so many the mean is normal to within a hundredth
constexpr std::ptrdiff_t fewest_telling = 10;  // a bootstrap of fewer is too short
constexpr std::uint64_t stream = 0x626f6f74;

/// Percentiles of the mean of as many values drawn with replacement. The same draws each time: a report repeats.
stats::Range bootstrap(const std::vector<double>& values, double alpha) {
  if (values.size() > most_resampled) return stats::student_mean(values, alpha).range;
  std::vector<double> means;
  std::uint64_t counter = 0;
  for (std::size_t i = 0; i < resamples; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::uint64_t bits = random_bits(stream, counter++) >> 32;
      sum += values[(bits * values.size()) >> 32];
    }
    means.push_back(sum / static_cast<double>(values.size()));
  }
  return {*stats::quantile(means, alpha / 2), *stats::quantile(means, 1 - alpha / 2)};
}

/// Values by seed and sample, as their means over seeds and over samples.
struct Means {
  std::vector<double> by_seed;
  std::vector<double> by_sample;
};

void add(Means& means, const std::vector<double>& values) {
  if (values.empty()) return;
  means.by_sample.resize(values.size(), 0);
  for (std::size_t i = 0; i < values.size(); ++i) means.by_sample[i] += values[i];
  means.by_seed.push_back(*stats::mean(values));
}

stats::Estimate estimate_of(Means means, double alpha) {
  if (means.by_seed.empty()) return {std::numeric_limits<double>::quiet_NaN(), {}};
  for (double& value : means.by_sample) value /= static_cast<double>(means.by_seed.size());
  const stats::Estimate seeds = stats::student_mean(means.by_seed, alpha);
  const double usual = stats::median(means.by_sample);
  const auto telling = [&](double value) { return value != usual; };
  if (std::ranges::count_if(means.by_sample, telling) < fewest_telling) return {seeds.value, {}};
  const stats::Range samples = bootstrap(means.by_sample, alpha);
  const double half = seeds.range.finite() ? seeds.range.high - seeds.value : 0;  // one seed tells nothing of others
  return {seeds.value,
          {seeds.value - std::hypot(seeds.value - samples.low, half),
           seeds.value + std::hypot(samples.high - seeds.value, half)}};
}

}  // namespace

stats::Range for_new_samples(double part, std::int64_t samples) {
  constexpr double z = 1.959963984540054;  // 95 %
  const auto n = static_cast<double>(samples);
  const double scale = 1 / (1 + z * z / n);
  const double middle = scale * (part + z * z / (2 * n));
  const double half = scale * z * std::sqrt(part * (1 - part) / n + z * z / (4 * n * n));
  return {middle - half, middle + half};
}

stats::Estimate accuracy_for_new_samples(const Hits& hits, double alpha) {
  Means means;
  for (const auto& [seed, right] : hits) add(means, {right.begin(), right.end()});
  return estimate_of(std::move(means), alpha);
}

stats::Estimate difference_for_new_samples(const Hits& first, const Hits& second, double alpha) {
  Means means;
  for (const auto& [seed, right] : first) {
    const auto other = second.find(seed);
    if (other == second.end() || other->second.size() != right.size()) continue;
    std::vector<double> differences;
    for (std::size_t i = 0; i < right.size(); ++i)
      differences.push_back(static_cast<double>(right[i]) - static_cast<double>(other->second[i]));
    add(means, differences);
  }
  return estimate_of(std::move(means), alpha);
}

}  // namespace regatta::analysis
