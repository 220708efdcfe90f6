#include "exchange_facts.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

namespace regatta::worker {
namespace {

using sweep::Fact;

/// None where there are too many, or not each was seen.
std::vector<sweep::BucketTimes> bucket_times(const Group& group) {
  const auto& buckets = group.arrivals.buckets();
  if (buckets.size() > sweep::most_buckets) return {};
  std::vector<sweep::BucketTimes> times;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const exchange::BucketArrivals& sums = buckets[i];
    if (sums.steps == 0) return {};
    const auto mean_us = [&](double seconds) { return 1e6 * seconds / static_cast<double>(sums.steps); };
    const double last_seconds = sums.begin_seconds + sums.spread_seconds;
    times.push_back({static_cast<std::int64_t>(group.arena.buckets[i].count * sizeof(float)),
                     mean_us(sums.begin_seconds), mean_us(last_seconds), mean_us(last_seconds + sums.sum_seconds)});
  }
  return times;
}

std::vector<sweep::RankTimes> rank_times(const exchange::Arrivals& arrivals) {
  std::vector<sweep::RankTimes> times;
  if (arrivals.whole_steps() == 0) return times;
  const auto mean_us = [&](double seconds) { return 1e6 * seconds / static_cast<double>(arrivals.whole_steps()); };
  for (const exchange::RankTimes& rank : arrivals.ranks())
    times.push_back({mean_us(rank.compute_seconds), mean_us(rank.wait_seconds), mean_us(rank.exchange_seconds)});
  return times;
}

}  // namespace

sweep::Facts exchange_facts(const Arm& arm) {
  sweep::Facts facts;
  if (!arm.group || arm.group->steps == 0) return facts;
  const Group& group = *arm.group;
  sweep::set(facts, Fact::exposed_exchange, group.exposed_seconds / static_cast<double>(group.steps));
  const auto slowest = exchange::straggler(group.arrivals);
  if (!slowest) return facts;
  sweep::set(facts, Fact::slowest_rank, fmt::format("{} ({:.0f} %)", slowest->rank, 100 * slowest->share));
  sweep::set(facts, Fact::rank_spread, slowest->spread_seconds);
  sweep::set(facts, Fact::exchange_buckets, bucket_times(group));
  sweep::set(facts, Fact::exchange_ranks, rank_times(group.arrivals));
  return facts;
}

}  // namespace regatta::worker
