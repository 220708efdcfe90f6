// The part of an optimizer that one of several ranks keeps. A rank updates its slice of each bucket of gradients, the
// one that it has summed. It reads all other weights from the ranks that have updated them (ZeRO stage 1: Rajbhandari
// et al., SC 2020).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/run/step.hpp"
#include "regatta/exchange/communicator.hpp"
#include "regatta/model/tensors.hpp"

namespace regatta::engine {

/// Whether each rank updates its part of the parameters.
bool is_optimizer_sharded(const Settings& settings);

class OptimizerSlices {
 public:
  /// `arena` is exchange_arena() of the session. The storage has no moments. Throws std::bad_alloc.
  OptimizerSlices(const StepContext& context, exchange::Arena arena);
  OptimizerSlices(const OptimizerSlices&) = delete;
  OptimizerSlices& operator=(const OptimizerSlices&) = delete;

  /// With `reads_sums` updates read the sums of all ranks where they are, else the flat arena of gradients. Moments
  /// that other ranks may read begin as zeros.
  void join(exchange::Communicator& communicator, bool reads_sums);

  /// Moves the weights of the own slices, after the sums of all buckets were waited for.
  void update();

  /// Shows them to the other ranks and takes over theirs. Throws exchange::ExchangeFailed.
  void exchange(double patience_seconds);

  /// Multiplies the gradients of all other slices by StepState::gradient_scale, which updates do with their own.
  void clip_others() const;

  /// Zeroes moments.
  void clear();

  /// Returns state_tensors() after so many steps, with the moments of all ranks. Comes between two steps. Throws
  /// InternalError where ranks do not show their moments.
  [[nodiscard]] std::vector<model::Tensor> state(std::int64_t steps) const;
  /// Writes back what checked_state() returned for `state`, and the own slices of its moments.
  void restore(const StepState& step_state, const std::vector<model::Tensor>& state);

  /// Counts the bytes of moments that no other rank reads.
  [[nodiscard]] std::int64_t bytes() const;

 private:
  /// A bucket with parameters, in floats. Its slice is [begin, end) of them.
  struct Part {
    std::size_t bucket;
    std::size_t first;       ///< in the exchange's arena
    std::size_t flat;        ///< in flat arenas of parameters, gradients, moments
    std::size_t count;       ///< parameters, padding between them included
    std::size_t begin, end;  ///< the own slice
    std::size_t kept;        ///< at which its moments begin where no other rank reads them
  };
  struct Release {
    Backend* backend;
    void operator()(float* memory) const { backend->release(memory); }
  };
  using Memory = std::unique_ptr<float, Release>;
  /// The moments of all parameters, each in an array that is laid out as the flat arena of gradients.
  struct WholeMoments {
    std::vector<std::vector<float>> floats;  ///< first moments, then second ones, as far as the optimizer has them
    std::vector<void*> addresses;            ///< one for each buffer: the storage's, and those of moments in here
  };

  void cut(std::size_t rank);
  void make_update();
  [[nodiscard]] float* flat(Role role) const;
  [[nodiscard]] float* moments(std::size_t which, const Part& part) const;
  /// Returns room for moments of all parameters: zeros.
  [[nodiscard]] WholeMoments whole_zeros() const;
  /// Returns those of all ranks.
  [[nodiscard]] WholeMoments whole() const;
  /// Takes the own slices of them.
  void take(const WholeMoments& moments);

  const StepContext context_;
  Settings settings_;  ///< the update's
  exchange::Arena arena_;
  exchange::Communicator* communicator_ = nullptr;
  bool reads_sums_ = false;
  bool shows_moments_;  ///< they lie where other ranks read them
  std::vector<Part> parts_;
  std::size_t kept_floats_ = 0;  ///< in each moment
  std::vector<Memory> kept_;     ///< first moments, second ones; empty where the communicator has them
  std::size_t moments_ = 0;      ///< how many kinds of them: 0, 1 or 2
  Program program_of_update_;
  std::vector<void*> addresses_of_update_;
  std::unique_ptr<Executor> update_;
};

}  // namespace regatta::engine
