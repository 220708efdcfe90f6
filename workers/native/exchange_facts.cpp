#include "exchange_facts.hpp"

#include <fmt/format.h>

#include <string>

namespace regatta::worker {
namespace {

using sweep::Fact;

constexpr std::size_t most_buckets = 64;  // that are told one by one

/// [{"bytes":...,"first_us":...,"last_us":...,"summed_us":...},...]
std::string buckets_json(const Group& group) {
  const auto& buckets = group.arrivals.buckets();
  if (buckets.size() > most_buckets) return {};
  std::string json = "[";
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const exchange::BucketArrivals& sums = buckets[i];
    if (sums.steps == 0) return {};
    const auto mean_us = [&](double seconds) { return 1e6 * seconds / static_cast<double>(sums.steps); };
    const double last_seconds = sums.begin_seconds + sums.spread_seconds;
    json += fmt::format(R"({}{{"bytes":{},"first_us":{:.1f},"last_us":{:.1f},"summed_us":{:.1f}}})", i == 0 ? "" : ",",
                        group.arena.buckets[i].count * sizeof(float), mean_us(sums.begin_seconds),
                        mean_us(last_seconds), mean_us(last_seconds + sums.sum_seconds));
  }
  return json + "]";
}

/// [{"compute_us":...,"wait_us":...,"exchange_us":...},...] by rank
std::string ranks_json(const exchange::Arrivals& arrivals) {
  if (arrivals.whole_steps() == 0) return {};
  const auto mean_us = [&](double seconds) { return 1e6 * seconds / static_cast<double>(arrivals.whole_steps()); };
  std::string json;
  for (const exchange::RankTimes& rank : arrivals.ranks())
    json += fmt::format(R"({}{{"compute_us":{:.1f},"wait_us":{:.1f},"exchange_us":{:.1f}}})", json.empty() ? "[" : ",",
                        mean_us(rank.compute_seconds), mean_us(rank.wait_seconds), mean_us(rank.exchange_seconds));
  return json + "]";
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
  sweep::set(facts, Fact::exchange_buckets, buckets_json(group));
  sweep::set(facts, Fact::exchange_ranks, ranks_json(group.arrivals));
  return facts;
}

}  // namespace regatta::worker
