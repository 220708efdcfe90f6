#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "regatta/analysis/labels.hpp"
#include "regatta/report/wording.hpp"
#include "regatta/results/told_results.hpp"
#include "report/findings/findings.hpp"
#include "report/findings/summary.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t most_columns = 8;
constexpr std::size_t most_remarks = 5;
constexpr std::size_t most_results = 3;  // each has a sentence

/// "n 256, scheme simpson": the levels that tell the trial apart.
std::string place_of(const View& view, TrialIndex trial) {
  std::string place;
  for (const sweep::Param param : table_axes(view)) {
    const std::string level = analysis::label(view.results.trials[trial.value].parameters, {param});
    place += (place.empty() || level.empty() ? "" : ", ") + level;
  }
  return place.empty() ? "the only setting" : place;
}

/// "at n 256", "in 2 of 6 trials, such as n 256, seed 1": where an extreme was found, and how often.
std::string where(const View& view, TrialIndex trial, std::size_t count, std::size_t trials) {
  if (count == 1) return "at " + place_of(view, trial);
  return fmt::format("in {} of {} trials, such as {}", count, trials, place_of(view, trial));
}

/// "residual is smallest at n 256 (3.1e-08) and largest at n 16 (0.0213)."
std::string result_sentence(const View& view, const ResultColumn& column) {
  const Extremes found = extremes_of(view, column.name);
  const auto value = [&](TrialIndex trial) {
    return result_text(view.results.trials[trial.value], column.name) + (column.unit == "1" ? "" : " " + column.unit);
  };
  if (found.trials == 0) return "";
  if (found.least == found.greatest)
    return found.trials == 1 ? fmt::format("{} is {}.", column.name, value(found.least_at))
                             : fmt::format("{} is {} in all {} trials that report it.", column.name,
                                           value(found.least_at), found.trials);
  return fmt::format("{} is smallest {} ({}) and largest {} ({}).", column.name,
                     where(view, found.least_at, found.least_count, found.trials), value(found.least_at),
                     where(view, found.greatest_at, found.greatest_count, found.trials), value(found.greatest_at));
}

/// "A step takes 1.54 us (batch 1) to 263 us (batch 2048)."
std::string time_sentence(const View& view) {
  const Extremes found = extremes_of(view, "step_time");
  if (found.trials == 0) return "";
  const std::string what = runs_programs(view) ? "A run" : "A step";
  if (found.trials == 1) return fmt::format("{} takes {}.", what, duration_text(found.least));
  return fmt::format("{} takes {} ({}) to {} ({}).", what, duration_text(found.least), place_of(view, found.least_at),
                     duration_text(found.greatest), place_of(view, found.greatest_at));
}

}  // namespace

Extremes extremes_of(const View& view, const std::string& metric) {
  Extremes found;
  for (std::uint32_t i = 0; i < view.results.trials.size(); ++i) {
    const auto value = analysis::metric(view.results.trials[i], metric);
    if (!value || !std::isfinite(*value)) continue;
    if (found.trials == 0 || *value < found.least) {
      found.least = *value;
      found.least_at = {i};
      found.least_count = 0;
    }
    if (found.trials == 0 || *value > found.greatest) {
      found.greatest = *value;
      found.greatest_at = {i};
      found.greatest_count = 0;
    }
    found.least_count += *value == found.least ? 1 : 0;
    found.greatest_count += *value == found.greatest ? 1 : 0;
    ++found.trials;
  }
  return found;
}

std::vector<ResultColumn> result_columns(const View& view) {
  std::vector<ResultColumn> columns;
  for (const auto& [name, unit] : results::result_units(view.results.trials)) {
    if (columns.size() < most_columns)
      columns.push_back({name, unit, unit == "1" ? name : fmt::format("{} [{}]", name, unit)});
  }
  return columns;
}

std::string result_text(const results::TrialRow& trial, const std::string& name) {
  const auto found = trial.metrics.find(name);
  if (found != trial.metrics.end() && !std::isnan(found->second)) return fmt::format("{:.4g}", found->second);
  const auto& told = sweep::value_of<sweep::ProgramResults>(trial.facts, sweep::Fact::results);
  return told.contains(name) ? "NaN" : std::string(dash);
}

std::vector<std::string> result_remarks(const View& view) {
  std::map<std::string, std::vector<TrialIndex>> trials_of;
  for (std::uint32_t i = 0; i < view.results.trials.size(); ++i) {
    const std::string remark = sweep::text_of(view.results.trials[i].facts, sweep::Fact::result_remarks);
    if (!remark.empty()) trials_of[remark].push_back({i});
  }
  std::vector<std::string> remarks;
  for (const auto& [remark, trials] : trials_of) {
    if (remarks.size() == most_remarks) {
      remarks.push_back(
          fmt::format("{} more remarks on results: the column result_remarks", trials_of.size() - most_remarks));
      break;
    }
    remarks.push_back(fmt::format("results: {}: {}", remark, names_of(view, trials, names_shown)));
  }
  return remarks;
}

bool is_study(const View& view) {
  return !view.learning && view.contrasts.contrasts.empty() && view.contrasts.missing.empty();
}

bool runs_programs(const View& view) {
  return !view.results.trials.empty() && std::ranges::all_of(view.results.trials, [](const auto& trial) {
    return !std::holds_alternative<std::monostate>(trial.parameters[sweep::Param::command]);
  });
}

std::vector<std::string> study_sentences(const View& view) {
  std::vector<std::string> sentences;
  const std::vector<ResultColumn> columns = result_columns(view);
  for (std::size_t i = 0; i < std::min(columns.size(), most_results); ++i)
    sentences.push_back(result_sentence(view, columns[i]));
  const bool has_results = !columns.empty();
  sentences.push_back(time_sentence(view));
  std::erase(sentences, "");
  if (sentences.empty()) return {"No trial has a result yet."};
  if (!has_results && view.results.trials.size() > 1)
    sentences.emplace_back(
        "These are times alone: \"compare\" in the sweep file makes a verdict of them, with its uncertainty.");
  return sentences;
}

}  // namespace regatta::report
