#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "regatta/analysis/values.hpp"
#include "regatta/report/text.hpp"
#include "report/export/export.hpp"

namespace regatta::report {
namespace {

constexpr std::array<const char*, 8> metrics = {"step_time",   "step_time_mean", "latency_p50",        "latency_p95",
                                                "latency_p99", "first_step",     "samples_per_second", "peak_memory"};

std::string number(std::optional<double> value) { return value ? fmt::format("{:.6g}", *value) : std::string(); }

std::string value_text(const sweep::Value& value) {
  return std::holds_alternative<std::monostate>(value) ? std::string() : csv_field(sweep::to_text(value));
}

void add_trial(std::string& csv, const View& view, std::size_t index) {
  const auto& trial = view.results.trials[index];
  for (const auto* params : {&view.axes.arm, &view.axes.stratum, &view.axes.replicates}) {
    for (const auto param : *params) csv += value_text(trial.parameters[param]) + ",";
  }
  csv += std::string(sweep::status_of(trial.outcome)) + "," + sweep::to_string(trial.verified);
  for (const char* name : metrics) csv += "," + number(analysis::metric(trial, name));
  const auto* contrast = view.ratio[index];
  if (contrast && contrast->difference)
    csv += fmt::format(",,,,{}", analysis::verdict_text(*contrast));  // no ratio
  else if (contrast)
    csv += fmt::format(",{},{},{},{}", number(contrast->ratio), number(contrast->low), number(contrast->high),
                       analysis::verdict_text(*contrast));
  else
    csv += view.is_baseline[index] ? ",1,,,baseline" : ",,,,";
  csv += '\n';
}

}  // namespace

std::string trials_csv(const View& view, std::size_t most_rows) {
  std::string csv;
  for (const auto* params : {&view.axes.arm, &view.axes.stratum, &view.axes.replicates}) {
    for (const auto param : *params) csv += std::string(sweep::name_of(param)) + ",";
  }
  csv += "status,verified";
  for (const char* name : metrics) csv += std::string(",") + name;
  csv += ",ratio,low,high,verdict\n";
  for (std::size_t i = 0; i < std::min(view.results.trials.size(), most_rows); ++i) add_trial(csv, view, i);
  return csv;
}

}  // namespace regatta::report
