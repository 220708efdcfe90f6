// Results with something for every part of the page.
#pragma once

#include "report/sample_results.hpp"

namespace regatta::testing_support {

/// mlp-10 at batch 1, 32 and 2048: native graph (baseline; at batch 1 with a clone), native eager (undecided at 2048)
/// and numpy (slower, but faster at 2048); torch was skipped. graph starts 0.35 s later than the others, and two slices
/// of eager at batch 32 are disturbed.
class FullResults {
 public:
  ResultsBuilder made;

  FullResults() {
    auto& results = made.results;
    results.name = "full";
    results.complete = true;
    results.axis_names = {"engine", "mode", "model", "batch"};
    results.hosts = {{"box", "Example CPU 9", 1, 2, std::int64_t{4} << 30, "6.1", "performance"}};
    results.devices = {{0, "cpu", "cores 0-1", {}}};
    results.devices[0].calibration.threads = 2;
    results.devices[0].calibration.isa = "avx2";
    results.devices[0].calibration.core_peak_flops_per_second = 100e9;
    results.envs = {{"native", "native", "0.1.0"}, {"numpy", "numpy", "1.24.2"}};
    results.provenance = {sample_sweep, "sweeps/sample.json",   "regatta run sweeps/sample.json", "0.1.0",
                          "abc123",     "2026-01-02T03:04:05Z", {{"mpi", "Open MPI 4.1.4"}}};
    compared(1, 2e-6, 4e-6, 60e-6, true);
    compared(32, 3e-6, 4.5e-6, 62e-6, false);
    compared(2048, 100e-6, 100e-6, 50e-6, false);
    made.trial(arm("torch", "eager", 1),
               sweep::Skipped{"engine torch is not installed here", sweep::SkipKind::not_installed});
    disturb();
  }

 private:
  static constexpr std::size_t squares = 8;  ///< evidence for all nine contrasts, though one of a pair is undecided

  TrialIndex measured(const char* engine, const char* mode, std::int64_t batch, double seconds) {
    Values values = arm(engine, mode, batch);
    values.emplace_back(sweep::Param::precision, std::string("fp32"));
    values.emplace_back(sweep::Param::seed, std::int64_t{0});
    const TrialIndex trial = made.trial(values);
    made.metrics(trial, seconds, static_cast<double>(batch));
    auto& row = made.results.trials[trial.value];
    row.verified = sweep::Verified::yes;
    row.host = row.device = 0;
    return trial;
  }

  void compared(std::int64_t batch, double graph_seconds, double eager_seconds, double numpy_seconds, bool has_clone) {
    const auto graph = measured("native", "graph", batch, graph_seconds);
    const auto eager = measured("native", "eager", batch, eager_seconds);
    const auto numpy = measured("numpy", nullptr, batch, numpy_seconds);
    std::vector<TrialIndex> arms = {graph, eager, numpy};
    if (has_clone) arms.push_back(graph);
    const BlockIndex block = made.block(arms);
    auto& row = made.results.blocks.back();
    row.has_clone = has_clone;
    row.attempt = 1;
    row.end_wall_seconds = 10;
    const double seconds[] = {graph_seconds, eager_seconds, numpy_seconds, graph_seconds};
    for (std::uint32_t at = 0; at < arms.size(); ++at)
      made.slices_of_arm(block, at, around(seconds[at], 2 * at, squares));
    for (const TrialIndex arm : {graph, eager, numpy})
      start_processes(made.results, arm, arm == graph ? 0.4 : 0.05, 0.1);
    // The report relies on samples that stand by trial, then block, then time.
    std::stable_sort(made.results.samples.begin(), made.results.samples.end(), [](const auto& x, const auto& y) {
      return std::pair(x.trial, x.block) < std::pair(y.trial, y.block);
    });
  }

  void disturb() {
    int left = 2;
    std::uint32_t last = 0;
    for (auto& row : made.results.samples) {
      const bool is_eager_at_32 = row.block == BlockIndex{1} && row.sample.arm == 1;
      if (!is_eager_at_32 || row.sample.phase != stats::Phase::steady || row.sample.slice == last || left == 0)
        continue;
      last = row.sample.slice;
      row.sample.flags = 1;
      --left;
    }
  }
};

inline results::Results full_results() { return FullResults().made.results; }

}  // namespace regatta::testing_support
