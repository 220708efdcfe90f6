// Ranks on one host: each has memory that it alone can write to, and reads that of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "regatta/base/shared_memory.hpp"
#include "regatta/base/unique_fd.hpp"
#include "regatta/exchange/communicator.hpp"

namespace regatta::exchange {

/// The memory that a rank shares with the others: its gradients, the slices that it sums, and how far it is. Any
/// process that has the descriptor can read it.
class Member {
 public:
  /// Allocated in full at once, not in the middle of a step. Throws InternalError.
  explicit Member(const Arena& arena);

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] std::string path() const { return path_of_descriptor(fd_.get()); }
  [[nodiscard]] std::byte* memory() const { return memory_.get(); }

 private:
  UniqueFd fd_;
  std::shared_ptr<std::byte> memory_;  ///< the one mapping that can write
};

/// A word by which those who supervise a group end every wait in it.
class Stop {
 public:
  Stop();
  /// Another supervisor's, by its path under /proc. Throws InternalError.
  explicit Stop(const std::string& path);
  void set();
  [[nodiscard]] bool is_set() const;
  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] std::string path() const { return path_of_descriptor(fd_.get()); }

 private:
  UniqueFd fd_;
  std::shared_ptr<std::byte> memory_;
};

/// The handling of sums that are not finite. A benchmark fails: nothing that it measured then would mean anything. A
/// training may diverge: its losses show it.
enum class NotFinite : std::uint8_t { fails, passes };

/// Rank `rank` of the group whose members have these descriptors, in the order of ranks; `stop_fd` is a Stop's. All
/// have the same arena. Descriptors may be closed afterwards. Throws InternalError for what is too small for it.
std::unique_ptr<Communicator> make_shared_memory_communicator(Arena arena, std::size_t rank, Member own,
                                                              const std::vector<int>& member_fds, int stop_fd,
                                                              NotFinite not_finite = NotFinite::fails);

}  // namespace regatta::exchange
