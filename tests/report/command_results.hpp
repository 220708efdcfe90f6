// Results of a sweep of a command: each row has a setting of its own, and two results beside its time.
#pragma once

#include "regatta/results/told_results.hpp"
#include "report/sample_results.hpp"

namespace regatta::testing_support {

/// scheme x n, nothing compared; each tells its error in kelvin and its steps.
inline results::Results command_results() {
  ResultsBuilder made;
  made.results.name = "heat";
  made.results.complete = true;
  made.results.axis_names = {"engine", "command", "mode", "loop"};
  for (const char* command : {"explicit", "implicit"}) {
    for (const std::int64_t n : {16, 32}) {
      const TrialIndex trial = made.trial({{sweep::Param::engine, std::string("command")},
                                           {sweep::Param::command, std::string(command)},
                                           {sweep::Param::length, n}});
      made.metrics(trial, 1e-3 * static_cast<double>(n), 1);
      results::TrialRow& row = made.results.trials[trial.value];
      row.metrics.erase("samples_per_second");
      row.metrics.erase("latency_p95");
      sweep::set(row.facts, sweep::Fact::results,
                 sweep::ProgramResults{{"error", {"K", {0.5}}}, {"steps", {"", {256}}}});
      results::fill_results(row);
    }
  }
  return made.results;
}

}  // namespace regatta::testing_support
