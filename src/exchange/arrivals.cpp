#include "regatta/exchange/arrivals.hpp"

#include <algorithm>

namespace regatta::exchange {
namespace {

double seconds(std::int64_t nanoseconds) { return 1e-9 * static_cast<double>(nanoseconds); }

void add_up(BucketArrivals& sums, const BucketArrivals& more) {
  sums.steps += more.steps;
  sums.begin_seconds += more.begin_seconds;
  sums.spread_seconds += more.spread_seconds;
  sums.sum_seconds += more.sum_seconds;
  for (std::size_t rank = 0; rank < sums.last_of_rank.size(); ++rank)
    sums.last_of_rank[rank] += more.last_of_rank[rank];
}

void add_up(RankTimes& sums, const RankTimes& more) {
  sums.compute_seconds += more.compute_seconds;
  sums.wait_seconds += more.wait_seconds;
  sums.exchange_seconds += more.exchange_seconds;
}

}  // namespace

Arrivals::Arrivals(std::size_t buckets, std::size_t ranks) : buckets_(buckets), ranks_(ranks) {
  for (BucketArrivals& bucket : buckets_) bucket.last_of_rank.resize(ranks);
}

void Arrivals::add(std::size_t bucket, const std::optional<Arrival>& arrival, std::span<const std::int64_t> ready_ns) {
  if (bucket == 0) step_begins_ns_.reset();
  if (bucket == 0 && arrival) step_begins_ns_ = arrival->first_ns;
  if (bucket + 1 == buckets_.size()) {
    if (arrival) end_step(*arrival, ready_ns);
    step_ended_ns_ = arrival ? std::optional(arrival->summed_ns) : std::nullopt;
  }
  if (!arrival || !step_begins_ns_) return;
  BucketArrivals& sums = buckets_[bucket];
  ++sums.steps;
  sums.begin_seconds += seconds(arrival->first_ns - *step_begins_ns_);
  sums.spread_seconds += seconds(arrival->last_ns - arrival->first_ns);
  sums.sum_seconds += seconds(arrival->summed_ns - arrival->last_ns);
  ++sums.last_of_rank[arrival->last_rank];
}

void Arrivals::end_step(const Arrival& last, std::span<const std::int64_t> ready_ns) {
  if (!step_ended_ns_) return;
  for (std::size_t rank = 0; rank < ready_ns.size(); ++rank) {
    add_up(ranks_[rank], {seconds(ready_ns[rank] - *step_ended_ns_), seconds(last.last_ns - ready_ns[rank]),
                          seconds(last.summed_ns - last.last_ns)});
  }
  ++whole_steps_;
}

void Arrivals::add(const Arrivals& more) {
  if (buckets_.empty()) {
    *this = more;
    step_begins_ns_.reset();
    step_ended_ns_.reset();
    return;
  }
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) add_up(ranks_[rank], more.ranks_[rank]);
  whole_steps_ += more.whole_steps_;
  for (std::size_t i = 0; i < buckets_.size(); ++i) add_up(buckets_[i], more.buckets_[i]);
}

std::optional<Straggler> straggler(const Arrivals& arrivals) {
  if (arrivals.buckets().empty() || arrivals.buckets().back().steps == 0) return std::nullopt;
  std::vector<std::int64_t> last(arrivals.buckets().front().last_of_rank.size());
  std::int64_t all = 0;
  for (const BucketArrivals& bucket : arrivals.buckets()) {
    for (std::size_t rank = 0; rank < last.size(); ++rank) last[rank] += bucket.last_of_rank[rank];
    all += bucket.steps;
  }
  const auto slowest = std::ranges::max_element(last);
  const BucketArrivals& end = arrivals.buckets().back();
  return Straggler{static_cast<std::size_t>(slowest - last.begin()),
                   static_cast<double>(*slowest) / static_cast<double>(all),
                   end.spread_seconds / static_cast<double>(end.steps)};
}

}  // namespace regatta::exchange
