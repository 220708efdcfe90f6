#include "measure/tour_order.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "measure/measure.hpp"

namespace regatta::measure {
namespace {

/// A number that is drawn for a block and a tour (the finalizer of MurmurHash3, A. Appleby, 2011).
std::uint64_t draw(const Hash128& hash, std::uint64_t tour) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, hash.bytes.data(), sizeof bits);
  bits ^= tour * 0x9e3779b97f4a7c15;
  for (const std::uint64_t factor : {0xff51afd7ed558ccdULL, 0xc4ceb9fe1a85ec53ULL}) {
    bits ^= bits >> 33;
    bits *= factor;
  }
  return bits ^ bits >> 33;
}

}  // namespace

Worth worth_of(const VisitedBlock& block) {
  return undecided_comparisons(block.run) > 0 ? Worth::undecided : Worth::unfinished;
}

void order_visits(std::vector<OpenBlock>& open, std::uint64_t tour) {
  std::ranges::sort(
      open, {}, [&](const OpenBlock& block) { return std::tuple(block.worth, block.pairs, draw(block.hash, tour)); });
}

}  // namespace regatta::measure
