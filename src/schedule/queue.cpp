#include "schedule/queue.hpp"

#include <algorithm>
#include <utility>

#include "regatta/base/error.hpp"

namespace regatta::schedule {
namespace {

Line& line_for(DemandQueue& queue, LineKey key) {
  const auto place = std::ranges::lower_bound(queue.lines, key, {}, &Line::key);
  if (place != queue.lines.end() && place->key == key) return *place;
  return *queue.lines.insert(place, Line{key, {}});
}

BlockRange take_repeat(DemandQueue& queue) {
  const BlockIndex block = queue.repeats.front();
  queue.repeats.pop_front();
  --queue.waiting;
  return {block, 1};
}

}  // namespace

void push_fresh(DemandQueue& queue, BlockIndex block, LineKey key) {
  std::deque<BlockRange>& ranges = line_for(queue, key).ranges;
  ++queue.waiting;
  if (!ranges.empty()) {
    BlockRange& last = ranges.back();
    expect(block.value >= last.first.value + last.count, "fresh blocks are queued in ascending order");
    if (block.value == last.first.value + last.count) {
      ++last.count;
      return;
    }
  }
  ranges.push_back({block, 1});
}

void push_repeat(DemandQueue& queue, BlockIndex block) {
  queue.repeats.push_back(block);
  ++queue.waiting;
}

BlockIndex front(const DemandQueue& queue, std::size_t place) {
  return place == from_repeats ? queue.repeats.front() : queue.lines[place].ranges.front().first;
}

BlockRange take(DemandQueue& queue, std::uint32_t at_most, std::size_t place) {
  expect(queue.waiting > 0, "take from an empty queue");
  if (place == from_repeats) return take_repeat(queue);
  std::deque<BlockRange>& ranges = queue.lines[place].ranges;
  BlockRange& run = ranges.front();
  const BlockRange taken{run.first, std::min(run.count, std::max(at_most, 1U))};
  run.first.value += taken.count;
  run.count -= taken.count;
  if (run.count == 0) ranges.pop_front();
  if (ranges.empty()) queue.lines.erase(queue.lines.begin() + static_cast<std::ptrdiff_t>(place));
  queue.waiting -= taken.count;
  return taken;
}

bool take_one(DemandQueue& queue, BlockIndex block) {
  for (auto line = queue.lines.begin(); line != queue.lines.end(); ++line) {
    // Ranges ascend: the last that begins at the block or before it.
    const auto after = std::ranges::upper_bound(line->ranges, block, {}, &BlockRange::first);
    if (after == line->ranges.begin()) continue;
    const auto range = after - 1;
    const std::uint32_t before = block.value - range->first.value;
    if (before >= range->count) continue;
    const BlockRange rest{{block.value + 1}, range->count - before - 1};
    range->count = before;
    if (rest.count > 0) line->ranges.insert(before > 0 ? range + 1 : range, rest);
    const auto empty = std::ranges::find(line->ranges, 0U, &BlockRange::count);
    if (empty != line->ranges.end()) line->ranges.erase(empty);
    if (line->ranges.empty()) queue.lines.erase(line);
    --queue.waiting;
    return true;
  }
  return false;
}

void line_up(DemandQueue& queue, const std::function<LineKey(BlockIndex)>& key_of) {
  std::vector<BlockRange> all;
  for (Line& line : std::exchange(queue.lines, {})) all.insert(all.end(), line.ranges.begin(), line.ranges.end());
  std::ranges::sort(all, {}, &BlockRange::first);
  queue.waiting = queue.repeats.size();
  for (const BlockRange& range : all) {
    for (std::uint32_t i = 0; i < range.count; ++i) {
      const BlockIndex block{range.first.value + i};
      push_fresh(queue, block, key_of(block));
    }
  }
}

}  // namespace regatta::schedule
