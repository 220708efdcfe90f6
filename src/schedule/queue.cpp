#include "schedule/queue.hpp"

#include <algorithm>

#include "regatta/base/error.hpp"

namespace regatta::schedule {

void push_fresh(DemandQueue& queue, BlockIndex block) {
  if (!queue.fresh.empty()) {
    BlockRange& last = queue.fresh.back();
    expect(block.value >= last.first.value + last.count, "fresh blocks are queued in ascending order");
    if (block.value == last.first.value + last.count) {
      ++last.count;
      ++queue.waiting;
      return;
    }
  }
  queue.fresh.push_back({block, 1});
  ++queue.waiting;
}

void push_repeat(DemandQueue& queue, BlockIndex block) {
  queue.repeats.push_back(block);
  ++queue.waiting;
}

BlockIndex front(const DemandQueue& queue) {
  return queue.repeats.empty() ? queue.fresh.front().first : queue.repeats.front();
}

BlockRange take(DemandQueue& queue, std::uint32_t at_most) {
  expect(queue.waiting > 0, "take from an empty queue");
  if (!queue.repeats.empty()) {
    const BlockIndex block = queue.repeats.front();
    queue.repeats.pop_front();
    --queue.waiting;
    return {block, 1};
  }
  BlockRange& run = queue.fresh.front();
  const BlockRange taken{run.first, std::min(run.count, std::max(at_most, 1U))};
  run.first.value += taken.count;
  run.count -= taken.count;
  if (run.count == 0) queue.fresh.pop_front();
  queue.waiting -= taken.count;
  return taken;
}

}  // namespace regatta::schedule
