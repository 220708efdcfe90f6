#include "analysis/ranks/ranks.hpp"

namespace regatta::analysis {
namespace {

struct Steps {
  double seconds = 0;
  double count = 0;
};

/// Both arms are a trial once more, whose facts are those of an earlier block.
bool is_clone(const results::Results& results, const results::SampleRow& row) {
  return results.blocks[row.block.value].has_clone;
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
