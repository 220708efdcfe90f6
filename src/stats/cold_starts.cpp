#include "regatta/stats/cold_starts.hpp"

#include "regatta/stats/confidence_sequence.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::stats {
namespace {

/// What is known of an arm's present process.
struct Beginning {
  std::optional<double> start, prepare;
  std::optional<std::uint32_t> first_slice;
  std::uint32_t processes = 0;  ///< that made a first step
};

void take(Beginning& arm, const Sample& sample, std::vector<ColdStart>& found) {
  switch (sample.phase) {
    case Phase::start:
      arm.start = sample.seconds;
      arm.prepare.reset();
      return;
    case Phase::prepare:
      arm.prepare = sample.seconds;
      return;
    case Phase::first:
      if (arm.first_slice == sample.slice) return;  // its first call is the first sample
      arm.first_slice = sample.slice;
      if (arm.start && arm.prepare) found.push_back({arm.processes, *arm.start, *arm.prepare, sample.seconds});
      arm.start.reset();
      arm.prepare.reset();
      ++arm.processes;
      return;
    default:
      return;
  }
}

}  // namespace

std::vector<std::vector<ColdStart>> cold_starts(std::span<const Sample> block, std::size_t arms) {
  std::vector<std::vector<ColdStart>> found(arms);
  std::vector<Beginning> beginnings(arms);
  for (const Sample& sample : block)
    if (sample.arm < arms && sample.rank == 0) take(beginnings[sample.arm], sample, found[sample.arm]);
  return found;
}

Estimate cold_start(std::span<const ColdStart> starts, double alpha) {
  std::vector<double> seconds;
  for (const ColdStart& each : starts) seconds.push_back(each.seconds());
  return {median(seconds), sign_interval(seconds, alpha)};
}

}  // namespace regatta::stats
