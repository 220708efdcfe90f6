// When ranks come with their gradients, bucket by bucket: who is waited for, and how long sums take after that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace regatta::exchange {

/// One bucket of one step, on the clock of the host.
struct Arrival {
  std::int64_t first_ns = 0;   ///< when the first rank had written it
  std::int64_t last_ns = 0;    ///< when the last one had
  std::int64_t summed_ns = 0;  ///< when all its sums were there
  std::size_t last_rank = 0;
};

/// Sums over the steps that were seen whole. All times are seconds.
struct BucketArrivals {
  std::int64_t steps = 0;
  double begin_seconds = 0;                ///< from the step's first gradients of any rank to the first rank's here
  double spread_seconds = 0;               ///< between the first and the last rank
  double sum_seconds = 0;                  ///< from then on until all its sums were there
  std::vector<std::int64_t> last_of_rank;  ///< how often each rank was the last
  bool operator==(const BucketArrivals&) const = default;
};

/// Where the time of a rank goes: sums over steps that were seen from the sums of the step before to their own.
struct RankTimes {
  double compute_seconds = 0;   ///< until it had written its last gradients: the update before, forward, backward
  double wait_seconds = 0;      ///< from then on until the last rank had
  double exchange_seconds = 0;  ///< from then on until all sums were there
  bool operator==(const RankTimes&) const = default;
};

class Arrivals {
 public:
  Arrivals() = default;
  Arrivals(std::size_t buckets, std::size_t ranks);

  /// A step comes in the order of its buckets; nothing where one could not be seen. `ready_ns` is when each rank had
  /// written it.
  void add(std::size_t bucket, const std::optional<Arrival>& arrival, std::span<const std::int64_t> ready_ns);
  /// More steps of the same ranks and buckets.
  void add(const Arrivals& more);

  [[nodiscard]] const std::vector<BucketArrivals>& buckets() const { return buckets_; }
  /// By rank, and of how many steps.
  [[nodiscard]] const std::vector<RankTimes>& ranks() const { return ranks_; }
  [[nodiscard]] std::int64_t whole_steps() const { return whole_steps_; }

 private:
  void end_step(const Arrival& last, std::span<const std::int64_t> ready_ns);

  std::vector<BucketArrivals> buckets_;
  std::vector<RankTimes> ranks_;
  std::int64_t whole_steps_ = 0;
  std::optional<std::int64_t> step_begins_ns_;
  std::optional<std::int64_t> step_ended_ns_;  ///< the one before
};

/// The rank that is the last one at most buckets.
struct Straggler {
  std::size_t rank = 0;
  double share = 0;           ///< part of the buckets at which it is the last
  double spread_seconds = 0;  ///< mean time between the first and the last rank at the last bucket of a step
  bool operator==(const Straggler&) const = default;
};

/// Nothing if no step was seen.
std::optional<Straggler> straggler(const Arrivals& arrivals);

}  // namespace regatta::exchange
