// Two sessions made by hand: mlp-10 in native graph (20 % slower), native eager (same) and numpy (a new version).
#pragma once

#include "regatta/analysis/sessions.hpp"
#include "report/sample_results.hpp"

namespace regatta::testing_support {

/// Eight processes for each of three trials; a fourth trial stands in this session alone.
inline results::Results session_of(double graph, double eager, double numpy, const char* version, double start) {
  ResultsBuilder made;
  auto& results = made.results;
  results.name = "sample";
  results.hosts = {{"box", "Example CPU 9", 1, 2, std::int64_t{4} << 30, "6.1", ""}};
  results.devices = {{0, "cpu", "cores 0-1", {}}};
  results.envs = {{"native", "native", "0.1.0"}, {"numpy", "numpy", version}};
  results.provenance.created = start == 1 ? "2026-01-02T03:04:05Z" : "2026-01-09T03:04:05Z";
  const auto add = [&](const Values& values, double seconds, std::int32_t env) {
    const auto trial = made.trial(values);
    results.trials[trial.value].env = env;
    results.trials[trial.value].host = results.trials[trial.value].device = 0;
    const auto block = made.block({trial}, false);
    results.blocks[block.value].start_wall_seconds = start + trial.value;
    made.slices(block, trial, std::vector<double>(8, seconds));
  };
  add(arm("native", "graph", 1), graph, 0);
  add(arm("native", "eager", 1), eager, 0);
  add(arm("numpy", nullptr, 1), numpy, 1);
  add(arm("native", "graph", start == 1 ? 8 : 16), 1e-6, 0);
  return results;
}

struct TwoSessions {
  results::Results before = session_of(2e-6, 4e-6, 60e-6, "1.24", 1);
  results::Results after = session_of(2.4e-6, 4.04e-6, 48e-6, "1.26", 2);
  analysis::Sessions compared = analysis::compare_sessions(before, after);
};

}  // namespace regatta::testing_support
