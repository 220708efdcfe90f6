#include "analysis/ranks/last_processes.hpp"

namespace regatta::analysis {
namespace {

struct Steps {
  double seconds = 0;
  double count = 0;
};

/// The last arm is an earlier one again, whose facts are those of the earlier one.
bool is_clone(const results::Results& results, const results::SampleRow& row) {
  const results::BlockRow& block = results.blocks[row.block.value];
  return block.has_clone && row.sample.arm + std::size_t{1} == block.arms.size();
}

}  // namespace

std::vector<double> last_process_steps(const results::Results& results) {
  std::vector<Steps> steps(results.trials.size());
  for (const results::SampleRow& row : results.samples) {
    if (is_clone(results, row)) continue;
    Steps& own = steps[row.trial.value];
    if (row.sample.phase == stats::Phase::first) own = {};  // a process begins with it
    if (row.sample.phase != stats::Phase::steady) continue;
    own.seconds += row.sample.seconds;
    own.count += row.sample.steps;
  }
  std::vector<double> means;
  means.reserve(steps.size());
  for (const Steps& own : steps) means.push_back(own.count > 0 ? own.seconds / own.count : 0);
  return means;
}

}  // namespace regatta::analysis
