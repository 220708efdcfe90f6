#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/judging/judging.hpp"

namespace regatta::analysis {
namespace {

struct Process {
  double seconds = 0;
  double work = 0;
  std::set<std::uint32_t> squares;
};

std::map<std::uint32_t, Process> processes_of(const std::vector<stats::SliceValue>& slices) {
  std::map<std::uint32_t, Process> found;
  for (const auto& slice : slices) {
    Process& process = found[slice.process];
    process.seconds += slice.seconds;
    process.work += slice.work;
    process.squares.insert(slice.square);
  }
  return found;
}

}  // namespace

std::vector<ProcessPair> process_pairs(const std::vector<stats::SliceValue>& a,
                                       const std::vector<stats::SliceValue>& b) {
  const auto of_b = processes_of(b);
  std::vector<ProcessPair> pairs;
  for (const auto& [number, first] : processes_of(a)) {
    const auto other = of_b.find(number);
    if (other == of_b.end()) continue;
    const Process& second = other->second;
    const auto shared =
        std::ranges::count_if(first.squares, [&](std::uint32_t square) { return second.squares.contains(square); });
    if (shared == 0) continue;  // an arm that was decided early is not a pair of what follows
    pairs.push_back({std::log(first.seconds / first.work / (second.seconds / second.work)), shared});
  }
  return pairs;
}

}  // namespace regatta::analysis
