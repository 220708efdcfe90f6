// What one of several ranks keeps of an optimizer: it updates its slice of each bucket of gradients, the one that it
// has summed, and reads all other weights from the ranks that have updated them (ZeRO stage 1: Rajbhandari et al., SC
// 2020).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "engine/run/executor.hpp"
#include "regatta/exchange/communicator.hpp"

namespace regatta::engine {

/// The moments of all parameters, each in an array that is laid out as the flat arena of gradients.
struct WholeMoments {
  std::vector<std::vector<float>> floats;  ///< first moments, then second ones, as far as the optimizer has them
  std::vector<void*> addresses;            ///< one for each buffer: the storage's, and those of moments in here
};

class OptimizerSlices {
 public:
  using MakeExecutor = std::function<std::unique_ptr<Executor>(const ExecutorContext&)>;

  /// `arena` is exchange_arena() of the session. The storage has no moments; it, the program and the backend outlive
  /// this. Throws std::bad_alloc.
  OptimizerSlices(const Program& program, const Storage& storage, Backend& backend, const Settings& settings,
                  exchange::Arena arena, MakeExecutor make_executor);
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

  /// Room for moments of all parameters: zeros.
  [[nodiscard]] WholeMoments whole_zeros() const;
  /// Those of all ranks, between two steps. Throws InternalError where ranks do not show them.
  [[nodiscard]] WholeMoments whole() const;
  /// Takes its own slices of them.
  void take(const WholeMoments& moments);

  /// Counts moments that no other rank reads.
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

  void cut(std::size_t rank);
  void make_update();
  [[nodiscard]] float* flat(Role role) const;
  [[nodiscard]] float* moments(std::size_t which, const Part& part) const;

  const Program& program_;
  const Storage& storage_;
  Backend& backend_;
  Settings settings_;  ///< the update's
  exchange::Arena arena_;
  MakeExecutor make_executor_;
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
