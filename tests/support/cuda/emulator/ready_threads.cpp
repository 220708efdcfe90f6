#include "support/cuda/emulator/ready_threads.hpp"

#include <bit>

namespace regatta::emulator {

int ReadyThreads::first(std::size_t from) const {
  for (std::size_t word = from; word < words_.size(); ++word) {
    if (words_[word] != 0) return static_cast<int>(word) * 64 + std::countr_zero(words_[word]);
  }
  return -1;
}

int ReadyThreads::last() const {
  for (std::size_t word = words_.size(); word-- > 0;) {
    if (words_[word] != 0) return static_cast<int>(word) * 64 + 63 - std::countl_zero(words_[word]);
  }
  return -1;
}

int ReadyThreads::any(std::uint64_t draw) const {
  const std::size_t word = draw / 64 % words_.size();
  const int begin = static_cast<int>(draw & 63);
  const std::uint64_t behind = words_[word] >> begin;
  if (behind != 0) return static_cast<int>(word) * 64 + begin + std::countr_zero(behind);
  const int next = first(word + 1);
  return next >= 0 ? next : first(0);
}

int ReadyThreads::take(Order order, std::uint64_t draw) {
  const int taken = order == Order::random ? any(draw) : order == Order::forward ? first(0) : last();
  if (taken >= 0) words_[static_cast<std::size_t>(taken) / 64] &= ~bit(taken);
  return taken;
}

}  // namespace regatta::emulator
