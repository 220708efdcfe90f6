#include "regatta/measure/run_block.hpp"

#include <optional>
#include <utility>

#include "regatta/measure/run_group.hpp"

namespace regatta::measure {

BlockOutcome run_block(Arms& arms, const sweep::BlockTask& task, BlockBudget& budget) {
  const GroupBlock alone{arms, task};
  std::optional<BlockOutcome> ended;
  run_group({&alone, 1}, budget, {[&](std::size_t, BlockOutcome outcome) { ended = std::move(outcome); }});
  return *std::move(ended);
}

}  // namespace regatta::measure
