#include <algorithm>
#include <map>
#include <numeric>

#include "report/export/export.hpp"

namespace regatta::report {
namespace {

/// Blocks of one host that one offset fits.
struct Era {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> blocks;
};

void close(Era& era, std::vector<double>& offsets) {
  for (const std::size_t block : era.blocks) offsets[block] = era.high;
  era = {};
}

}  // namespace

std::vector<double> offsets_of(const std::vector<BlockTimes>& blocks) {
  std::vector<double> offsets(blocks.size(), 0);
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t block) { return blocks[block].start_wall_seconds; });
  std::map<std::int32_t, Era> eras;
  for (const std::size_t block : order) {
    const BlockTimes& times = blocks[block];
    if (times.first_seconds > times.last_seconds) continue;
    Era& era = eras[times.host];
    const double low = times.start_wall_seconds - times.first_seconds;
    const double high = times.end_wall_seconds - times.last_seconds;
    if (std::max(era.low, low) > std::min(era.high, high)) close(era, offsets);
    era.low = std::max(era.low, low);
    era.high = std::min(era.high, high);
    era.blocks.push_back(block);
  }
  for (auto& [host, era] : eras) close(era, offsets);
  return offsets;
}

}  // namespace regatta::report
