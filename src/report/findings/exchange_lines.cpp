#include "report/findings/exchange_lines.hpp"

#include <fmt/format.h>

#include <optional>

#include "regatta/analysis/wording.hpp"

namespace regatta::report {
namespace {

using sweep::Param;

std::int64_t ranks_of(const results::TrialRow& trial) { return integer_or(trial.parameters, Param::ranks, 1); }

std::string percent(double share) { return fmt::format("{:.{}f}", 100 * share, 100 * share < 9.95 ? 1 : 0); }

/// "efficiency 86 % [83, 90] of 2 ranks": what the ranks gain over the same step on less of them, of what they could;
/// empty where no contrast says it.
std::string efficiency_text(const View& view, TrialIndex index) {
  const analysis::Contrast* contrast = view.ratio[index.value];
  if (contrast == nullptr || contrast->metric != sweep::Metric::time_per_step) return {};
  const results::TrialRow& trial = view.results.trials[index.value];
  const results::TrialRow& base = view.results.trials[contrast->b.value];
  const auto times = static_cast<double>(ranks_of(trial)) / static_cast<double>(ranks_of(base));
  if (times <= 1 || sweep::batch_of(trial.parameters) != sweep::batch_of(base.parameters)) return {};
  const auto efficiency = [&](double ratio) { return percent(1 / (ratio * times)); };
  std::string text = fmt::format("efficiency {} %", efficiency(contrast->ratio));
  if (contrast->low && contrast->high && *contrast->low > 0)
    text += fmt::format(" [{}, {}]", efficiency(*contrast->high), efficiency(*contrast->low));
  return text + fmt::format(" of {} rank{}; ", ranks_of(trial), ranks_of(trial) == 1 ? "" : "s");
}

/// The part of a step that backward does not hide.
std::optional<double> exposed_share(const results::TrialRow& trial) {
  const auto exposed = analysis::metric(trial, "exposed_exchange");
  const auto step = analysis::metric(trial, "step_time_mean");
  if (!exposed || !step || *step <= 0 || !std::holds_alternative<sweep::Finished>(trial.outcome)) return std::nullopt;
  return *exposed / *step;
}

}  // namespace

std::vector<std::string> exchange_lines(const View& view) {
  std::vector<std::string> lines;
  for (std::uint32_t i = 0; i < view.results.trials.size(); ++i) {
    const results::TrialRow& trial = view.results.trials[i];
    const auto share = exposed_share(trial);
    if (!share) continue;
    lines.push_back(fmt::format("{}: {}{} % of a step passes between its own backward pass and the sums of all ranks",
                                analysis::trial_label(trial.parameters, view.axes), efficiency_text(view, {i}),
                                percent(*share)));
  }
  return lines;
}

}  // namespace regatta::report
