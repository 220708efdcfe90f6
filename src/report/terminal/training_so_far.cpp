#include "regatta/report/training_so_far.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "regatta/report/text.hpp"
#include "regatta/report/wording.hpp"
#include "report/findings/learning_words.hpp"
#include "report/terminal/terminal.hpp"

namespace regatta::report {
namespace {

using analysis::TrainingSoFar;
using analysis::TrainingStage;

constexpr std::size_t curve_columns = 16;
constexpr std::size_t label_column = 47;  // behind curve, last, best and samples
constexpr std::size_t fewest_label_columns = 10;

std::string with_count(std::size_t count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

std::string stage_text(const Learning& learning, const TrainingSoFar& so_far) {
  const std::string runs = fmt::format("{} of {} runs are recorded", so_far.recorded, so_far.asked);
  const std::string seeds = with_count(static_cast<std::size_t>(learning.training.seeds), "seed");
  switch (so_far.stage) {
    case TrainingStage::seeds:
      return fmt::format("{} under {}: {}", with_count(so_far.left, "configuration"), seeds, runs);
    case TrainingStage::rung:
      return fmt::format("Rung {} of {}: {} of {} left, {}", so_far.rung + 1,
                         learning.search->halves ? learning.search->rungs : 1, so_far.left,
                         with_count(learning.tally.configurations, "configuration"), runs);
    case TrainingStage::fresh:
      return fmt::format("{} under {} that chose nothing: {}", with_count(so_far.left, "finalist"), seeds, runs);
    case TrainingStage::test:
      return fmt::format("The test part is opened: {}", runs);
    case TrainingStage::trained_on:
      return fmt::format("Stopped ones are trained to the end all the same: {}", runs);
    case TrainingStage::again:
      return fmt::format("{} again under the same seed: {}", with_count(so_far.left, "run"), runs);
    case TrainingStage::over:
      break;
  }
  return "Nothing is due any more: `regatta report` says who is best";
}

std::string spent_text(const Learning& learning, const TrainingSoFar& so_far) {
  std::string text = "Cost so far: " + trainings_text(so_far.trainings);
  text += fmt::format(" (all under all seeds: {:.0f})", learning.cost.everything);
  if (!(learning.tally.train_seconds > 0)) return text;
  return text + fmt::format(", {} of training", duration_text(learning.tally.train_seconds));
}

SparklineScale scale_of(const TrainingSoFar& so_far) {
  SparklineScale scale{.samples = 0, .low = INFINITY, .high = -INFINITY};
  for (const auto& runner : so_far.ahead) {
    for (const auto& [samples, value] : runner.points) {
      scale.samples = std::max(scale.samples, samples);
      scale.low = std::min(scale.low, value);
      scale.high = std::max(scale.high, value);
    }
  }
  return scale;
}

/// Without an ellipsis that the terminal could not show.
std::string cut(const std::string& text, std::size_t columns, bool utf8) {
  if (utf8 || width(text) <= columns) return clip(text, columns);
  std::string kept = clip(text, columns);
  return kept.substr(0, kept.size() - std::string_view("\u2026").size()) + "~";
}

/// The axes that vary, in the order of the levels of a row.
std::string axes_text(const Learning& learning) {
  std::string text;
  for (const sweep::Param param : learning.axes) text.append(text.empty() ? "" : ", ").append(sweep::name_of(param));
  return text;
}

std::string levels_text(const View& view, const Learning& learning, TrialIndex trial) {
  std::string text;
  for (const sweep::Param param : learning.axes)
    text.append(text.empty() ? "" : ", ").append(level_text(view, param, trial));
  return text.empty() ? configuration_text(view, learning, trial) : text;
}

void add_curves(std::string& out, const View& view, const TrainingSoFar& so_far, const TerminalOptions& options) {
  const Learning& learning = *view.learning;
  const bool is_accuracy = analysis::is_accuracy(learning.objective.metric);
  const SparklineScale scale = scale_of(so_far);
  const auto columns = static_cast<std::size_t>(std::max(options.columns, 0));
  const std::size_t name_columns = std::max(columns, label_column + fewest_label_columns) - label_column;
  std::string name = objective_name(learning);
  if (std::ranges::any_of(so_far.ahead, [](const auto& runner) { return runner.runs > 1; }))
    name += ", median over seeds";
  out += cut(fmt::format("The best so far by {}, from {} {} to {} {}", clean(name), lowest_mark(options.utf8),
                         quality_text(is_accuracy, scale.low), highest_mark(options.utf8),
                         quality_text(is_accuracy, scale.high)),
             columns, options.utf8) +
         '\n';
  out += fmt::format("{:<{}} {:>8} {:>8} {:>10}  {}\n", "over samples", curve_columns, "last", "best", "samples",
                     cut(axes_text(learning), name_columns, options.utf8));
  for (const auto& runner : so_far.ahead) {
    out += fmt::format("{} {:>8} {:>8} {:>10}  {}\n", sparkline(runner.points, scale, curve_columns, options.utf8),
                       quality_text(is_accuracy, runner.points.back().second), quality_text(is_accuracy, runner.best),
                       runner.points.back().first,
                       cut(clean(levels_text(view, learning, runner.trial)), name_columns, options.utf8));
  }
}

}  // namespace

std::string training_so_far(const results::Results& results, const analysis::Findings& findings,
                            const TrainingSoFar& so_far, const TerminalOptions& options) {
  const View view = view_of(results, findings);
  const auto columns = static_cast<std::size_t>(std::max(options.columns, 0));
  std::string out =
      stage_text(*view.learning, so_far) + "\n" + cut(spent_text(*view.learning, so_far), columns, options.utf8) + "\n";
  if (!so_far.ahead.empty()) add_curves(out, view, so_far, options);
  return out;
}

}  // namespace regatta::report
