// How the ranks of one trial sum their gradients. Between two calls nothing happens: a rank that computes does nothing
// else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "regatta/base/shared_memory.hpp"
#include "regatta/exchange/arena.hpp"
#include "regatta/exchange/arrivals.hpp"

namespace regatta::exchange {

/// The exchange cannot go on; the trial is over, the process is not.
struct ExchangeFailed : std::runtime_error {
  ExchangeFailed(const std::string& what, std::uint64_t failed_step, std::size_t failed_bucket,
                 std::optional<std::size_t> missing_rank)
      : std::runtime_error(what), step(failed_step), bucket(failed_bucket), rank(missing_rank) {}
  std::uint64_t step;
  std::size_t bucket;
  std::optional<std::size_t> rank;  ///< the rank that did not come; nothing if the group was told to stop
};

class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  [[nodiscard]] virtual const Arena& arena() const = 0;

  /// This rank's gradients, `arena().elements` of them. A bucket may be written again once it was waited for.
  virtual std::span<float> gradients() = 0;
  /// Their sums over all ranks, of buckets that were waited for; valid until this rank calls ready() for the same
  /// bucket of the next step.
  [[nodiscard]] virtual std::span<const float> sums() const = 0;

  /// All gradients of the bucket are written. Does what can be done for earlier ones, and waits for nobody.
  virtual void ready(std::size_t bucket) = 0;

  /// Until the sums of the bucket are there. Throws ExchangeFailed after `patience_seconds` in which this process ran:
  /// time for which it was stopped does not count.
  virtual void wait(std::size_t bucket, double patience_seconds) = 0;

  // Where each rank updates the weights of its own slices (Arena::states).

  /// A state of this rank's slice of the bucket, without padding. Weights (0) are written between wait() for all
  /// buckets and updated(): the other ranks read them until they come with the gradients of the next step.
  virtual std::span<float> own_state(std::size_t which, std::size_t bucket) = 0;
  /// The states of all ranks, where sums() has the sums of the same elements. States but weights may be read between
  /// two steps.
  [[nodiscard]] virtual std::span<const float> states(std::size_t which) const = 0;

  /// The weights of this rank's slice of the bucket are written.
  virtual void updated(std::size_t bucket) = 0;
  /// Until those of all ranks are: as many updates as this rank has made. Throws as wait() does.
  virtual void wait_for_updates(std::size_t bucket, double patience_seconds) = 0;

  /// After it was waited for: when the ranks had come with it, and by rank when each had; no places, or one for each.
  /// Nothing where the clock of one is not known.
  [[nodiscard]] virtual std::optional<Arrival> arrival(std::size_t bucket, std::span<std::int64_t> ready_ns) const = 0;
};

}  // namespace regatta::exchange
