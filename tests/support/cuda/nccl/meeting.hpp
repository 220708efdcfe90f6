// Memory in which the processes of a group meet: made with the id, whose text is its path under /proc, so that nothing
// is left of it when they have ended. It shares no code with the engine's own exchange, or one bug would hide in both.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/cuda/nccl/library.hpp"

namespace regatta::cuda_fakes::nccl {

inline constexpr int kMostRanks = 8;
inline constexpr std::size_t kMostBytes = std::size_t{128} << 20;  ///< a sum's; memory is taken where it is used

/// A rank's part.
struct Seat {
  std::atomic<std::uint32_t> has_joined;
  std::atomic<std::uint64_t> posted;  ///< sums for which its numbers lie there
  std::atomic<std::uint64_t> taken;   ///< sums that it has read
  std::uint64_t count;                ///< floats of the last one
  std::array<unsigned char, 16> device;
};

struct Table {
  std::atomic<std::uint32_t> ranks;  ///< told by who came first
  std::array<Seat, kMostRanks> seats;
};

/// The id of a new meeting.
engine::cuda::NcclUniqueId make_meeting();

/// Null: the id is nobody's.
Table* join_meeting(const engine::cuda::NcclUniqueId& id);
void leave_meeting(Table* table);

/// Where a rank's numbers lie.
float* numbers_of(Table* table, int rank);

}  // namespace regatta::cuda_fakes::nccl
