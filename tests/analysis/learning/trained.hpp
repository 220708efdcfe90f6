// Results of training sweeps made up in memory: legs are trained in the order in which they are due.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <tuple>

#include "regatta/analysis/learning.hpp"
#include "regatta/sweep/reader.hpp"
#include "report/sample_results.hpp"

namespace regatta::testing_support {

/// The objective of a configuration under a seed, trained to a part of the horizon; nothing: it diverges.
using Quality = std::function<std::optional<double>(std::uint32_t configuration, std::int64_t seed, double to)>;

struct TrainedSweep {
  std::uint32_t configurations = 9;
  std::int64_t seeds = 12;
  bool searches = true;
  bool halves = true;  ///< else a search trains all to the end
  std::string metric = "validation_accuracy";
  double margin = 0.01;
  Quality quality;
  std::size_t most_legs = std::numeric_limits<std::size_t>::max();
  double seconds_of_first = 1;  ///< a run of the first configuration against one of the others
};

inline std::string sweep_text(const TrainedSweep& made) {
  std::string text =
      R"({"regatta": 1, "name": "trained", "task": "train", "axes": {"engine": ["native"], "model": ["digits-mlp"],
 "dataset": ["digits"], "batch": [32], "learning_rate": [0.1, 0.2]},
 "train": {"epochs": 10, "evaluations": 4, "seeds": )" +
      std::to_string(made.seeds) + R"(}, "objective": {"metric": ")" + made.metric + R"(", "margin": )" +
      std::to_string(made.margin) + "}";
  if (made.searches && !made.halves) return text + R"(, "search": {"kind": "full"}})";
  if (made.searches) text += R"(, "search": {"kind": "halving", "rungs": 3, "factor": 3, "at_most": 4})";
  return text + "}";
}

inline sweep::Learned learned_of(const TrainedSweep& made, TrialIndex trial, const sweep::Leg& leg) {
  sweep::Learned learned;
  const auto score = made.quality(trial.value, leg.seed, leg.to);
  learned.training_samples = 800;
  learned.validation_samples = 200;
  learned.test_samples = 360;
  if (leg.purpose == sweep::Purpose::test) {
    learned.test_accuracy = *score - 0.05;
    learned.test_loss = made.metric == sweep::validation_loss ? *score + 0.05 : 0.3;
    return learned;
  }
  learned.curve.metrics = {"train_loss", made.metric};
  learned.end = score ? sweep::LegEnd::reached : sweep::LegEnd::diverged;
  const double value = score.value_or(std::nan(""));
  const double second = trial.value == 0 ? made.seconds_of_first : 1;
  for (int i = 1; i <= 4; ++i) {
    const double at = leg.from + (leg.to - leg.from) * i / 4;
    learned.curve.points.push_back({std::lround(at * 1000),
                                    std::lround(at * 8000),
                                    at * second * (1 + 0.001 * static_cast<double>(leg.seed % 7)),
                                    0.1 * at,
                                    {value, value}});
  }
  if (score) learned.best = {value, value};
  learned.best_step = score ? learned.curve.points.back().step : 0;
  return learned;
}

inline results::Results trained(const TrainedSweep& made) {
  ResultsBuilder built;
  built.results.name = "trained";
  built.results.axis_names = {"learning_rate"};
  built.results.provenance.sweep_json = sweep_text(made);
  built.results.provenance.sweep_file = "trained.json";
  for (std::uint32_t i = 0; i < made.configurations; ++i)
    built.trial({{sweep::Param::engine, std::string("native")},
                 {sweep::Param::model, std::string("digits-mlp")},
                 {sweep::Param::batch, std::int64_t{32}},
                 {sweep::Param::learning_rate, 0.1 * (i + 1)}});
  results::Results& results = built.results;
  const auto sweep = sweep::parse_sweep(results.provenance.sweep_json, "trained.json", sweep::any_environment());
  for (auto due = analysis::legs_due(sweep, results.trials, results.legs); !due.empty();
       due = analysis::legs_due(sweep, results.trials, results.legs)) {
    for (const auto& [trial, leg] : due) {
      if (results.legs.size() == made.most_legs) break;
      results::LegRow row;
      row.block = hash128("leg " + std::to_string(results.legs.size()));
      row.trial = trial;
      row.leg = leg;
      row.outcome = sweep::Finished{};
      row.attempt = 1;
      row.start_wall_seconds = 100 + static_cast<double>(results.legs.size());
      row.end_wall_seconds = row.start_wall_seconds + 1;
      row.learned = learned_of(made, trial, leg);
      results.legs.push_back(row);
    }
    if (results.legs.size() == made.most_legs) break;
  }
  std::ranges::stable_sort(results.legs, {}, [](const results::LegRow& row) {
    return std::tuple(row.trial, row.leg.seed, row.leg.rung, row.leg.purpose);
  });
  return results;
}

/// The same with a target, and one process that trained it all.
inline results::Results with_target(results::Results results, double target) {
  std::string& text = results.provenance.sweep_json;
  text.insert(text.find(R"("margin")"), R"("target": )" + std::to_string(target) + ", ");
  for (auto& leg : results.legs) {
    leg.learned.start_seconds = 1.5;
    leg.learned.prepare_seconds = 0.25;
  }
  return results;
}

/// The noise that a seed adds to a figure: the same for all configurations, and a little of their own.
inline double noise_of(std::uint32_t configuration, std::int64_t seed) {
  const auto swing = [](double x) { return std::sin(12.9898 * x); };
  return 0.003 * swing(static_cast<double>(seed + 1)) + 0.0005 * swing(static_cast<double>(seed + 31 * configuration));
}

/// Each configuration one `step` worse than the one before; better the longer it is trained.
inline Quality falling(double best, double step) {
  return [=](std::uint32_t configuration, std::int64_t seed, double to) {
    return std::optional(best - step * configuration - 0.05 * (1 - to) + noise_of(configuration, seed));
  };
}

}  // namespace regatta::testing_support
