#include "analysis/judging/judging.hpp"

namespace regatta::analysis {

Replaced::Replaced(const results::Results& results) {
  for (const results::SampleRow& row : results.samples) {
    const results::BlockRow& block = results.blocks[row.block.value];
    const bool counts = block.measured_again && block.has_baseline && row.sample.phase == stats::Phase::steady;
    if (counts && row.sample.arm > 0) again_.insert({block.arms.front(), row.trial});
  }
}

bool Replaced::contains(const results::BlockRow& block, std::size_t arm) const {
  if (block.measured_again || !block.has_baseline || arm == 0) return false;
  return again_.contains({block.arms.front(), block.arms[arm]});
}

}  // namespace regatta::analysis
