// Results made by hand, for tests of what is computed from them and shown.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "regatta/results/tables.hpp"

namespace regatta::testing_support {

using Values = std::vector<std::pair<sweep::Param, sweep::Value>>;

/// Adds trials, blocks and slices to a Results, one plain call each.
class ResultsBuilder {
 public:
  results::Results results;

  TrialIndex trial(const Values& values, sweep::Outcome outcome = sweep::Finished{}) {
    results::TrialRow row;
    for (const auto& [param, value] : values) row.parameters.set(param, value);
    row.hash = hash128(sweep::to_json(row.parameters));
    row.outcome = std::move(outcome);
    results.trials.push_back(std::move(row));
    return TrialIndex{static_cast<std::uint32_t>(results.trials.size() - 1)};
  }

  BlockIndex block(std::vector<TrialIndex> arms, bool has_baseline = true) {
    results::BlockRow row;
    row.arms = std::move(arms);
    row.has_baseline = has_baseline;
    results.blocks.push_back(std::move(row));
    return BlockIndex{static_cast<std::uint32_t>(results.blocks.size() - 1)};
  }

  /// One square for each value: as many slices as the block has arms that finished, the arm once at every position, all
  /// from a fresh process. A slice is four samples of ten steps after an unscored one that is far slower.
  void slices(BlockIndex block_index, TrialIndex owner, const std::vector<double>& seconds_per_step) {
    const auto& arms = results.blocks[block_index.value].arms;
    const auto arm = static_cast<std::uint32_t>(std::find(arms.begin(), arms.end(), owner) - arms.begin());
    slices_of_arm(block_index, arm, seconds_per_step);
  }

  /// The same by place in the block: a clone has the trial of its baseline.
  void slices_of_arm(BlockIndex block_index, std::uint32_t arm, const std::vector<double>& seconds_per_step) {
    const auto finished = [&](TrialIndex trial) {
      return std::holds_alternative<sweep::Finished>(results.trials[trial.value].outcome);
    };
    const auto& all = results.blocks[block_index.value].arms;
    const auto arms = static_cast<std::uint32_t>(std::count_if(all.begin(), all.end(), finished));
    for (std::uint32_t square = 0; square < seconds_per_step.size(); ++square) {
      const double seconds = seconds_per_step[square];
      const std::uint32_t first = square * arms * (arms + 1);
      sample(block_index, {arm, square, first + arm, stats::Phase::first, 1000 * seconds});
      for (std::uint32_t round = 0; round < arms; ++round) {
        const std::uint32_t slice = first + arms + round * arms + (arm + round) % arms;
        sample(block_index, {arm, square, slice, stats::Phase::reentry, 100 * seconds});
        for (int i = 0; i < 4; ++i) sample(block_index, {arm, square, slice, stats::Phase::steady, 10 * seconds});
      }
    }
  }

  /// Ten steps.
  struct Place {
    std::uint32_t arm, square, slice;
    stats::Phase phase;
    double seconds;
  };

  void sample(BlockIndex block_index, const Place& place) {
    const stats::Sample made = {.slice = place.slice,
                                .arm = static_cast<std::uint16_t>(place.arm),
                                .phase = place.phase,
                                .steps = 10,
                                .square = static_cast<std::uint16_t>(place.square),
                                .seconds = place.seconds};
    results.samples.push_back({results.blocks[block_index.value].arms[place.arm], block_index, made});
  }

  /// The cell as it is and changed, each with its seconds per step in every square; a change without seconds was
  /// skipped. Processes and slices as those of `slices`.
  struct Change {
    sweep::Intervention intervention;
    std::vector<double> seconds_per_step;
  };
  void explanation(TrialIndex owner, const std::vector<Change>& changes) {
    const auto measured = [](const Change& change) { return !change.seconds_per_step.empty(); };
    const auto arms = static_cast<std::uint32_t>(std::count_if(changes.begin(), changes.end(), measured));
    std::uint32_t place = 0;
    for (std::uint32_t arm = 0; arm < changes.size(); ++arm) {
      results::InterventionRow row;
      row.block = hash128("explain " + std::to_string(owner.value));
      row.trial = owner;
      row.intervention = changes[arm].intervention;
      row.outcome = sweep::Skipped{"the engine does not offer this intervention"};
      if (measured(changes[arm])) row.outcome = sweep::Finished{};
      results.interventions.push_back(row);
      if (measured(changes[arm])) change_slices(arm, place++, arms, changes[arm].seconds_per_step);
    }
  }

  void change_slices(std::uint32_t arm, std::uint32_t place, std::uint32_t arms, const std::vector<double>& seconds) {
    const auto row = static_cast<std::uint32_t>(results.interventions.size() - 1);
    for (std::uint32_t square = 0; square < seconds.size(); ++square) {
      stats::Sample made;
      made.arm = static_cast<std::uint16_t>(arm);
      made.square = static_cast<std::uint16_t>(square);
      made.steps = 10;
      const std::uint32_t first = square * arms * (arms + 1);
      made.phase = stats::Phase::first;
      made.slice = first + place;
      made.seconds = 1;
      results.intervention_samples.push_back({row, made});
      made.phase = stats::Phase::steady;
      made.seconds = 10 * seconds[square];
      for (std::uint32_t round = 0; round < arms; ++round) {
        made.slice = first + arms + round * arms + (place + round) % arms;
        results.intervention_samples.push_back({row, made});
      }
    }
  }

  /// The metrics of a trial whose median step is `step` seconds with `batch` samples.
  void metrics(TrialIndex owner, double step, double batch) {
    results.trials[owner.value].metrics = {{"step_time", step},
                                           {"step_time_mean", 1.05 * step},
                                           {"latency_p95", 1.25 * step},
                                           {"latency_p95_low", 1.2 * step},
                                           {"latency_p95_high", 1.3 * step},
                                           {"calls", 2000},
                                           {"call_slices", 18},
                                           {"samples_per_second", batch / step},
                                           {"first_step", 40 * step},
                                           {"peak_memory", 12.0 * 1024 * 1024}};
  }
};

/// Every process of the trial was fresh and took so long to start, half of it for its model, and then to make its first
/// step.
inline void start_processes(results::Results& results, TrialIndex owner, double start_seconds, double first_seconds) {
  std::vector<results::SampleRow> all;
  for (results::SampleRow row : results.samples) {
    if (row.trial == owner && row.sample.phase == stats::Phase::first) {
      row.sample.seconds = first_seconds;
      results::SampleRow part = row;
      part.sample.steps = 0;
      part.sample.seconds = start_seconds / 2;
      for (const stats::Phase phase : {stats::Phase::start, stats::Phase::prepare}) {
        part.sample.phase = phase;
        all.push_back(part);
      }
    }
    all.push_back(row);
  }
  results.samples = std::move(all);
}

inline constexpr const char* sample_sweep = R"({
  "regatta": 1,
  "name": "sample",
  "task": "benchmark",
  "axes": {
    "engine": ["native", "numpy"],
    "mode": ["eager", "graph"],
    "model": ["mlp-10"],
    "batch": [1, 32]
  },
  "compare": {"over": ["engine", "mode"], "baseline": {"engine": "native", "mode": "graph"}}
}
)";

inline Values arm(const char* engine, const char* mode, std::int64_t batch) {
  using sweep::Param;
  Values values = {{Param::engine, std::string(engine)},
                   {Param::model, std::string("mlp-10")},
                   {Param::batch, batch},
                   {Param::device, std::string("cpu")},
                   {Param::threads, std::int64_t{1}}};
  if (mode) values.emplace_back(Param::mode, std::string(mode));
  return values;
}

/// Slice values around `seconds`, as few as give a verdict; another `turn` starts the same deviations elsewhere.
inline std::vector<double> around(double seconds, std::size_t turn, std::size_t count = 7) {
  constexpr double deviations[] = {-0.01, 0, 0.02, 0, -0.02, 0.01, 0, 0};
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(seconds * (1 + deviations[(i + turn) % count]));
  return values;
}

/// mlp-10 at batch 1 and 32: native graph (baseline), native eager, numpy; numpy crashed at 32, a torch arm
/// was skipped.
inline results::Results sample_results() {
  ResultsBuilder made;
  auto& results = made.results;
  results.name = "sample";
  results.complete = true;
  results.axis_names = {"engine", "mode", "model", "batch"};
  for (const std::int64_t batch : {1, 32}) {
    const auto graph = made.trial(arm("native", "graph", batch));
    const auto eager = made.trial(arm("native", "eager", batch));
    const bool crashes = batch == 32;
    const auto numpy = made.trial(
        arm("numpy", nullptr, batch),
        crashes ? sweep::Outcome(sweep::Failed{sweep::FailureKind::crashed, "signal 11 (segmentation fault)"})
                : sweep::Outcome(sweep::Finished{}));
    const auto block = made.block({graph, eager, numpy});
    const auto measure = [&](TrialIndex trial, double seconds) {
      made.slices(block, trial, around(seconds, trial.value));
      made.metrics(trial, seconds, static_cast<double>(batch));
    };
    measure(graph, batch == 1 ? 2e-6 : 3e-6);
    measure(eager, batch == 1 ? 4e-6 : 4.5e-6);
    if (!crashes) measure(numpy, 60e-6);
  }
  made.trial(arm("torch", "eager", 1),
             sweep::Skipped{"engine torch is not installed here", sweep::SkipKind::not_installed});
  results.hosts = {{"box", "Example CPU 9", 1, 2, std::int64_t{4} << 30, "6.1", "performance"}};
  results.devices = {{0, "cpu", "cores 0-1", {}}};
  results.envs = {{"native", "native", "0.1.0"}, {"numpy", "numpy", "1.24.2"}};
  results.provenance = {sample_sweep, "sweeps/sample.json",   "regatta run sweeps/sample.json", "0.1.0",
                        "",           "2026-01-02T03:04:05Z", {{"mpi", "Open MPI 4.1.4"}}};
  return results;
}

/// Two numbers of threads under three repeats, which take 1, 2 and 3 us, and with two threads as long by these factors.
inline results::Results repeated_results(const std::vector<double>& factors) {
  ResultsBuilder made;
  made.results.axis_names = {"threads"};
  made.results.provenance.sweep_json = R"({"regatta": 1, "name": "s", "repeats": 3, "axes": {"engine": "native",
    "mode": "graph", "model": "mlp-10", "batch": 1, "threads": [1, 2]},
    "compare": {"over": "threads", "baseline": {"threads": 1}}})";
  made.results.provenance.sweep_file = "s.json";
  for (std::size_t repeat = 0; repeat < factors.size(); ++repeat) {
    std::vector<TrialIndex> arms;
    for (const std::int64_t threads : {1, 2}) {
      Values values = arm("native", "graph", 1);
      values.emplace_back(sweep::Param::threads, threads);
      values.emplace_back(sweep::Param::repeat, static_cast<std::int64_t>(repeat));
      arms.push_back(made.trial(values));
    }
    const BlockIndex block = made.block(arms);
    const double seconds = 1e-6 * static_cast<double>(repeat + 1);
    for (std::size_t i = 0; i < arms.size(); ++i) {
      const double step = i == 0 ? seconds : seconds * factors[repeat];
      made.slices(block, arms[i], {step, step, step});
      made.metrics(arms[i], step, 1);
    }
  }
  return made.results;
}

/// numpy at batch 32 takes 100 us: 20 of them for input copies, 60 of calls (60 us + 1.25 us a row); its kernels cannot
/// be emptied. Eight squares, each in fresh processes.
inline results::Results explained_results() {
  using sweep::InterventionKind;
  ResultsBuilder made;
  const TrialIndex cell = made.trial(arm("numpy", nullptr, 32));
  const auto squares = [](double seconds) { return std::vector<double>(8, seconds); };
  made.explanation(cell, {{{InterventionKind::unchanged, 0}, squares(100e-6)},
                          {{InterventionKind::input_resident, 0}, squares(80e-6)},
                          {{InterventionKind::kernels_emptied, 0}, {}},
                          {{InterventionKind::batch, 1}, squares(61.25e-6)},
                          {{InterventionKind::batch, 4}, squares(65e-6)}});
  return made.results;
}

}  // namespace regatta::testing_support
