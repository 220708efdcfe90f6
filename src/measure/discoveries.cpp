#include "regatta/measure/discoveries.hpp"

namespace regatta::measure {

void Discoveries::add(BlockIndex block, const sweep::Family& family) {
  of_block_[block].push_back(family.number);
  ++of_family_[family.number];
  ++all_;
}

void Discoveries::forget(BlockIndex block) {
  for (const std::uint32_t family : of_block_[block]) {
    --of_family_[family];
    --all_;
  }
  of_block_.erase(block);
}

std::size_t Discoveries::of(const sweep::Family& family) const {
  const auto found = of_family_.find(family.number);
  return found == of_family_.end() ? 0 : found->second;
}

}  // namespace regatta::measure
