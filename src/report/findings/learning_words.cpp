#include "report/findings/learning_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "regatta/report/wording.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::report {
namespace {

std::string short_text(const sweep::Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:.3g}", *number);
  return sweep::to_text(value);
}

std::string spaced(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

bool speaks_for_itself(sweep::Param param) {
  return param == sweep::Param::model || param == sweep::Param::engine || param == sweep::Param::mode ||
         param == sweep::Param::dataset || param == sweep::Param::precision;
}

}  // namespace

std::string level_text(const View& view, sweep::Param param, TrialIndex trial) {
  const auto& trials = view.results.trials;
  std::set<std::string> whole, cut;
  for (const auto& each : trials) {
    whole.insert(sweep::to_text(each.parameters[param]));
    cut.insert(short_text(each.parameters[param]));
  }
  const sweep::Value& value = trials[trial.value].parameters[param];
  if (std::holds_alternative<std::monostate>(value)) return std::string(dash);
  return cut.size() == whole.size() ? short_text(value) : sweep::to_text(value);
}

std::string configuration_text(const View& view, const Learning& learning, TrialIndex trial) {
  std::string text;
  for (const sweep::Param param : learning.axes) {
    if (std::holds_alternative<std::monostate>(view.results.trials[trial.value].parameters[param])) continue;
    text += text.empty() ? "" : ", ";
    if (!speaks_for_itself(param)) text.append(sweep::name_of(param)).append(" ");
    text += level_text(view, param, trial);
  }
  return text.empty() ? trial_label(view.results.trials[trial.value].parameters, view.axes) : text;
}

std::string objective_name(const Learning& learning) { return spaced(learning.objective.metric); }

std::string test_name(const Learning& learning) { return is_test_accuracy(learning) ? "test accuracy" : "test loss"; }

bool is_test_accuracy(const Learning& learning) { return learning.objective.metric != sweep::validation_loss; }

std::string quality_text(bool is_accuracy, double value) {
  if (!std::isfinite(value)) return std::string(dash);
  return is_accuracy ? fmt::format("{:.1f} %", 100 * value) : fmt::format("{:.3g}", value);
}

std::string interval_text(bool is_accuracy, const stats::Range& range) {
  if (!range.finite()) return {};
  const auto percent = [](double value) { return std::round(1000 * value) / 10 + 0.0; };  // never "-0.0"
  if (is_accuracy) return fmt::format("[{:.1f}, {:.1f}]", percent(range.low), percent(range.high));
  return fmt::format("[{:.3g}, {:.3g}]", range.low, range.high);
}

std::string difference_text(bool is_accuracy, double value) {
  if (!is_accuracy) return fmt::format("{:.2g}", value);
  const double points = 100 * value;
  const bool is_whole = std::abs(points - std::round(points)) < 1e-6;
  const std::string digits = is_whole ? fmt::format("{:.0f}", points) : fmt::format("{:.1f}", points);
  return digits + (digits == "1" ? " point" : " points");
}

std::string figure_text(bool is_accuracy, const search::Figure& figure) {
  const std::string interval = interval_text(is_accuracy, figure.mean.range);
  const std::string value = quality_text(is_accuracy, figure.by_seed.empty() ? NAN : figure.mean.value);
  return figure.by_seed.empty() || interval.empty() ? value : value + " " + interval;
}

std::string by_margin_text(const Learning& learning) {
  const double margin = learning.objective.margin;
  if (!(margin > 0)) return {};
  return " by " + difference_text(analysis::is_accuracy(learning.objective.metric), margin);
}

std::string behind_text(const Learning& learning, const analysis::Ranked& row) {
  if (learning.leader == row.trial) return "leader";
  if (!std::isfinite(row.behind.value)) return std::string(dash);
  const bool is_accuracy = analysis::is_accuracy(learning.objective.metric);
  std::string value =
      is_accuracy ? fmt::format("{:.1f}", 100 * row.behind.value) : fmt::format("{:.2g}", row.behind.value);
  if (value == "-0.0" || value == "-0") value.erase(0, 1);
  const std::string interval = interval_text(is_accuracy, row.behind.range);
  return interval.empty() ? value : value + " " + interval;
}

std::string target_name(const Learning& learning) {
  if (!learning.objective.target) return {};
  return "reaches " + quality_text(analysis::is_accuracy(learning.objective.metric), *learning.objective.target);
}

std::string clock_text(const stats::Estimate& seconds) {
  if (std::isnan(seconds.value)) return std::string(dash);
  const auto text = [](double each) { return std::isfinite(each) ? duration_text(each) : "never"; };
  const auto& range = seconds.range;
  const std::string median = text(seconds.value);
  return range.low > 0 ? fmt::format("{} [{}, {}]", median, text(range.low), text(range.high)) : median;
}

std::string arrival_text(const analysis::Target& target) { return clock_text(target.train_seconds); }

std::string starts_text(const Learning& learning) {
  std::string text;
  for (const auto& each : learning.starts)
    text += fmt::format("{}{} {} ({} process{})", text.empty() ? "" : ", ", each.engine, duration_text(each.seconds),
                        each.processes, each.processes == 1 ? "" : "es");
  return text;
}

std::string target_text(const analysis::Ranked& row) {
  if (!row.target) return std::string(dash);
  const std::string runs = fmt::format("{} of {}", row.target->reached, row.target->runs);
  return row.target->reached == 0 ? runs : runs + ", " + arrival_text(*row.target);
}

std::string in_set_text(const Learning& learning, const analysis::Ranked& row) {
  if (!learning.leader) return std::string(dash);
  if (!row.in_set) return row.few_test_samples ? "no, few test samples" : "no";
  const bool can_tell = row.pairs >= stats::rules::fewest_units;
  return can_tell ? "yes" : "no verdict";
}

std::string learning_legend(const Learning& learning) {
  const bool is_accuracy = analysis::is_accuracy(learning.objective.metric);
  std::string text =
      fmt::format("validation: {} at the best evaluation of each run{}; brackets: 95 % interval over seeds",
                  objective_name(learning), learning.search ? ", under fresh seeds" : "");
  text += fmt::format("; behind: distance to the leader{}, paired by seed", is_accuracy ? " in points" : "");
  if (learning.objective.target)
    text +=
        fmt::format("; {}: runs that reach it, and the median seconds of training until two evaluations in a row do",
                    target_name(learning));
  text += "; time: of one training, evaluations left out";
  return text + "; in set: not shown to be worse than the leader" + by_margin_text(learning);
}

}  // namespace regatta::report
