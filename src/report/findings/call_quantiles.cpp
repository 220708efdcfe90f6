#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "regatta/analysis/values.hpp"
#include "regatta/stats/quantiles.hpp"
#include "report/findings/findings.hpp"

namespace regatta::report {
namespace {

const std::array tails = {QuantileColumn{"p95 [95 %]", sweep::Metric::latency_p95},
                          QuantileColumn{"p99 [95 %]", sweep::Metric::latency_p99}};

bool is_known(const results::TrialRow& trial, sweep::Metric metric) {
  return analysis::metric(trial, std::string(sweep::info(metric).name)).has_value();
}

/// "no p99 for 3 of 4 trials, the first because ..."
std::string missing(const View& view, const QuantileColumn& tail) {
  std::size_t finished = 0, without = 0;
  std::string first;
  for (const results::TrialRow& trial : view.results.trials) {
    finished += std::holds_alternative<sweep::Finished>(trial.outcome) ? 1 : 0;
    const std::string reason = no_quantile(trial, tail.metric);
    if (reason.empty()) continue;
    if (without++ == 0) first = reason;
  }
  if (without == 0) return "";
  const std::string name = tail.header.substr(0, 3);
  if (without == finished) return fmt::format("no {}: {}", name, first);
  return fmt::format("no {} of {} of {} trials, of the first because {}", name, without, finished, first);
}

}  // namespace

std::string no_quantile(const results::TrialRow& trial, sweep::Metric wanted) {
  const sweep::MetricInfo& info = sweep::info(wanted);
  if (!std::holds_alternative<sweep::Finished>(trial.outcome) || analysis::metric(trial, std::string(info.name)))
    return {};
  const auto needs = stats::needs_of(info.quantile.value_or(0));
  const double calls = analysis::metric(trial, "calls").value_or(0);
  const double slices = analysis::metric(trial, "call_slices").value_or(0);
  if (calls == 0)
    return fmt::format("no call was timed by itself: \"metric\": \"{}\" under \"measure\" does that", info.name);
  if (calls < static_cast<double>(needs.calls))
    return fmt::format("only {:.0f} {} ({} are needed)", calls,
                       calls == 1 ? "call was timed by itself" : "calls were timed by themselves", needs.calls);
  if (slices < static_cast<double>(needs.slices))
    return fmt::format("its calls lie in {:.0f} slices ({} are needed)", slices, needs.slices);
  return "its slow calls come in clumps, which are too few to tell";
}

std::vector<QuantileColumn> quantile_columns(const View& view) {
  std::vector<QuantileColumn> columns;
  std::ranges::copy_if(tails, std::back_inserter(columns), [&](const QuantileColumn& tail) {
    return std::ranges::any_of(view.results.trials, [&](const auto& trial) { return is_known(trial, tail.metric); });
  });
  return columns;
}

std::string quantiles_sentence(const View& view) {
  std::string text = quantile_columns(view).empty() ? "" : "p95, p99: of single calls (closed loop, service time)";
  for (const QuantileColumn& tail : tails) {
    const std::string why = missing(view, tail);
    if (why.empty()) continue;
    text += (text.empty() ? "" : "; ") + why;
    if (quantile_columns(view).empty()) break;  // where p95 is not known, p99 is not either
  }
  return text;
}

}  // namespace regatta::report
