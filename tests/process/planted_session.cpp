// planted-session FILE START SECONDS CORES BATCH...: writes a result file as a run of native would have left it that
// began at START (seconds) and measured steps of SECONDS on CORES at each BATCH. No clock takes part.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "regatta/results/file.hpp"
#include "report/sample_results.hpp"

namespace regatta {
namespace {

constexpr int first_batch = 5;

results::Results planted(double start, double seconds, const std::string& cores, const std::vector<long>& batches) {
  testing_support::ResultsBuilder made;
  results::Results& results = made.results;
  results.name = "planted";
  results.complete = true;
  results.axis_names = {"engine", "batch"};
  results.hosts = {{"box", "CPU 9", 1, 2, std::int64_t{4} << 30, "6.1", ""}};
  results.devices = {{0, "cpu", cores, {}}};
  results.envs = {{"native", "native", "0.1.0"}};
  results.provenance.sweep_json = testing_support::sample_sweep;
  results.provenance.created = "2026-01-02T03:04:05Z";
  for (const long batch : batches) {
    const auto trial = made.trial(testing_support::arm("native", "graph", batch));
    results::TrialRow& row = results.trials[trial.value];
    row.env = row.host = row.device = 0;
    const auto block = made.block({trial}, false);
    results.blocks[block.value].start_wall_seconds = start + static_cast<double>(batch);
    made.slices(block, trial, testing_support::around(seconds, trial.value));
    made.metrics(trial, seconds, static_cast<double>(batch));
  }
  return std::move(results);
}

}  // namespace
}  // namespace regatta

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (argc <= regatta::first_batch) {
    std::cerr << "usage: planted-session FILE START SECONDS CORES BATCH...\n";
    return 2;
  }
  std::vector<long> batches;
  for (int i = regatta::first_batch; i < argc; ++i) batches.push_back(std::stol(words[i]));
  regatta::results::write_results(words[1],
                                  regatta::planted(std::stod(words[2]), std::stod(words[3]), words[4], batches));
  return 0;
}
