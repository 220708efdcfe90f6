// Ranks on GPUs that sum their gradients by NCCL, in a stream of their own beside the one that computes. Sums are not
// captured into graphs: eager and graph mode make the same calls, and so the same bits.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "engine/cuda/device/handles.hpp"
#include "engine/cuda/nccl/library.hpp"
#include "regatta/engine/device_group.hpp"

namespace regatta::engine::cuda {

/// After a rank was lost every call throws LostDevice: its NCCL may be stuck in a kernel that only the end of the
/// process ends. Aborting the communicator instead can itself hang, so nobody tries.
class RankGroup final : public DeviceGroup {
 public:
  /// Waits for the other ranks. Throws LostDevice where they do not come in time, DeviceError, InputError.
  RankGroup(const NcclLibrary& library, const GroupPlace& place);
  ~RankGroup() override;
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  /// Backend::sum_over_ranks, of what `compute` has written.
  void sum(cudaStream_t compute, float* memory, std::int64_t count);

  /// Backend::await_sums. The host is at most one step ahead of the device: further ahead it could get stuck where
  /// nothing has a deadline.
  void end_step(cudaStream_t compute);

  /// Until at most so many steps are under way. Throws LostDevice.
  void await(std::size_t steps);

  /// In steps that were waited for.
  [[nodiscard]] double exposed_seconds() const { return exposed_seconds_; }
  [[nodiscard]] bool is_lost() const { return !lost_.empty(); }

 private:
  struct Sum {
    std::uint64_t step;
    std::size_t bucket;
    EventHandle done;
  };
  struct Step {
    EventHandle written, summed;
  };

  template <class Done>
  void poll(const Done& is_done);
  void accept(NcclResult result, const char* call);
  void forget_sums_of(std::uint64_t step);
  [[nodiscard]] bool is_stopped() const;
  [[nodiscard]] std::string where() const;
  [[noreturn]] void lose(const std::string& what, const std::string& why_and_remedy);

  const NcclLibrary library_;
  GroupPlace place_;
  std::shared_ptr<std::byte> stop_;  ///< the word that ends waits; null: there is none
  Stream stream_;
  EventHandle ready_;  ///< the next gradients to sum are written
  NcclComm communicator_ = nullptr;
  bool is_formed_ = false;
  std::string lost_;               ///< why nothing can be summed any more
  std::uint64_t step_ = 1;         ///< the step that issues its sums
  std::size_t bucket_ = 0;         ///< it issues next
  std::deque<Sum> sums_;           ///< steps under way have them
  std::deque<Step> steps_;         ///< under way, the oldest first
  std::vector<EventHandle> idle_;  ///< without time
  std::vector<Step> idle_steps_;
  double exposed_seconds_ = 0;
};

/// The id of a new group; `is_made` false: only whether there can be one. Throws InputError where NCCL is missing.
std::string new_group_id(bool is_made);

/// Throws as RankGroup does, and InputError where NCCL is missing.
std::unique_ptr<DeviceGroup> join_group(const GroupPlace& place);

}  // namespace regatta::engine::cuda
