// The samples that a step reads: a pure function of (seed, epoch, step), for any number of threads and ranks.
#pragma once

#include <cstdint>
#include <span>

#include "regatta/data/permutation.hpp"

namespace regatta::data {

/// The treatment of samples that do not fill a last batch.
enum class Tail : std::uint8_t {
  drop,  ///< the epoch ends without them
  keep,  ///< the last batch is smaller; ranks may get unequal parts of it
  pad,   ///< the last batch is filled up with the first samples of the epoch, which do not count
};

struct Plan {
  std::int64_t samples = 0;  ///< in an epoch
  std::int64_t batch = 32;   ///< samples of a step, of all ranks together
  std::int64_t ranks = 1;    ///< divides `batch`
  std::int64_t rank = 0;
  std::uint64_t seed = 0;
  Tail tail = Tail::drop;
  bool shuffles = true;  ///< else the order is the file's
};

/// Throws InputError for a plan without a step: more ranks than samples of a batch, a batch of more than all samples
/// whose tail is dropped, ...
void check(const Plan& plan);

/// The same for all ranks.
std::int64_t steps_per_epoch(const Plan& plan);

/// Samples of a rank in a step with a full batch.
std::int64_t batch_of_rank(const Plan& plan);

/// A step, counted from the first one of its epoch.
struct Position {
  std::int64_t epoch = 0;
  std::int64_t step = 0;
  bool operator==(const Position&) const = default;
};

Position position_at(const Plan& plan, std::int64_t steps_done);

/// The samples of one rank in one step.
struct Share {
  std::int64_t first = 0;  ///< position in the order of the epoch; the following ones wrap around its end
  std::int64_t count = 0;
  std::int64_t valid = 0;  ///< the first so many count; the others only fill the batch
  bool operator==(const Share&) const = default;
};

Share share_of(const Plan& plan, std::int64_t step);

/// The order of one epoch.
class EpochOrder {
 public:
  EpochOrder(const Plan& plan, std::int64_t epoch);

  /// The numbers of the samples that the rank reads in a step: `samples` has as many elements as its share.
  void samples_of(std::int64_t step, std::span<std::uint32_t> samples) const;

 private:
  Plan plan_;
  Permutation permutation_;

  void take(std::int64_t first, std::span<std::uint32_t> samples) const;
};

}  // namespace regatta::data
