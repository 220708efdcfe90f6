// A mirror of the memory of a rank on another node: the same layout, filled by the receiver of that rank's chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "exchange/member_layout.hpp"
#include "regatta/base/unique_fd.hpp"
#include "regatta/exchange/arena.hpp"

namespace regatta::exchange {

/// Writes the buckets to the end of a member's memory.
void describe(const Arena& arena, const MemberLayout& layout, std::byte* memory);

/// The buckets of a member, without its tensors, from its memory alone. Throws InternalError where what stands there
/// does not fit the size of the memory: another program's, or one that was written over.
Arena arena_of_member(int fd);

/// A rank that is elsewhere, as one reader on this node sees it: nothing but the parts that the reader sums takes
/// memory, and the slices that the other rank sums.
class Mirror {
 public:
  /// `reader` is the rank on this node. Memory is taken at once. Throws InternalError.
  Mirror(const Arena& arena, std::size_t reader);

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] std::string path() const;
  /// All of it, writable.
  [[nodiscard]] std::byte* memory() const { return memory_.get(); }

 private:
  UniqueFd fd_;
  std::shared_ptr<std::byte> memory_;
};

}  // namespace regatta::exchange
