#include "regatta/stats/coarsen.hpp"

#include <cstddef>
#include <limits>

namespace regatta::stats {
namespace {

bool may_join(const Sample& a, const Sample& b) {
  return a.slice == b.slice && a.arm == b.arm && a.rank == b.rank && a.phase == b.phase && a.phase != Phase::first &&
         b.steps <= std::numeric_limits<std::uint32_t>::max() - a.steps;
}

}  // namespace

void join_neighbours(std::vector<Sample>& samples) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Sample joined = samples[i];
    if (i + 1 < samples.size() && may_join(joined, samples[i + 1])) {
      const Sample& next = samples[++i];
      joined.steps += next.steps;
      joined.seconds += next.seconds;
      joined.flags |= next.flags;
    }
    samples[kept++] = joined;
  }
  samples.resize(kept);
}

}  // namespace regatta::stats
