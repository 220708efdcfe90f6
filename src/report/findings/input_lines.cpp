#include <fmt/format.h>

#include <algorithm>

#include "regatta/analysis/values.hpp"
#include "regatta/report/text.hpp"
#include "report/findings/findings.hpp"

namespace regatta::report {
namespace {

std::string share_text(const results::TrialRow& trial) {
  const double waits = analysis::metric(trial, "input_wait").value_or(0);  // results leave out what is 0
  const double step = waits + analysis::metric(trial, "input_compute").value_or(0);
  const double percent = step > 0 ? 100 * waits / step : 0;
  return percent < 9.95 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.0f} %", percent);
}

bool told_input(const results::TrialRow& trial) {
  return std::holds_alternative<sweep::Finished>(trial.outcome) &&
         !sweep::text_of(trial.facts, sweep::Fact::input_bound_by).empty();
}

bool was_ready(const results::TrialRow& trial) {
  return sweep::text_of(trial.facts, sweep::Fact::input_bound_by) == "consumer";
}

}  // namespace

std::vector<std::string> input_waits(const View& view) {
  std::vector<std::string> lines;
  for (const results::TrialRow& trial : view.results.trials) {
    if (!told_input(trial) || was_ready(trial)) continue;
    lines.push_back(fmt::format("{}: waits {} of a step for batches, bound by {}",
                                analysis::trial_label(trial.parameters, view.axes), share_text(trial),
                                clean(sweep::text_of(trial.facts, sweep::Fact::input_bound_by))));
  }
  return lines;
}

std::vector<std::string> input_lines(const View& view) {
  std::vector<std::string> lines = input_waits(view);
  const auto ready = std::ranges::count_if(view.results.trials,
                                           [](const auto& trial) { return told_input(trial) && was_ready(trial); });
  if (ready > 0)
    lines.push_back(
        fmt::format("batches were ready (waits below 1 % of a step) in {} cell{}", ready, ready == 1 ? "" : "s"));
  return lines;
}

}  // namespace regatta::report
