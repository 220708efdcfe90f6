#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "regatta/analysis/labels.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/report/wording.hpp"
#include "report/findings/contradictions.hpp"
#include "report/findings/findings.hpp"

namespace regatta::report {
namespace {

using analysis::Contrast;

constexpr std::size_t most_ranges = 4;  // named in a sentence

/// The name of the one arm that all others are compared with; nothing if there are several.
std::optional<std::string> baseline_of(const View& view) {
  std::optional<std::string> name;
  for (const Contrast& contrast : view.contrasts.contrasts) {
    const std::string other = arm_of(view, contrast.b);
    if (name && *name != other) return std::nullopt;
    name = other;
  }
  return name;
}

/// The part of a setting that is numbers: "batch 32".
std::string numbers_of(const View& view, TrialIndex trial) {
  std::vector<sweep::Param> numbers;
  std::ranges::copy_if(view.axes.stratum, std::back_inserter(numbers),
                       [](sweep::Param param) { return sweep::is_number(sweep::info(param)); });
  return analysis::label(view.results.trials[trial.value].parameters, numbers);
}

/// Fills the matrix of a view; kept together because its maps are.
class Filling {
 public:
  Filling(const View& view, std::string baseline) : view_(view) {
    arm(std::move(baseline));
    for (const Contradiction& each : contradictions_of(view)) contradicted_.push_back(each.contrast);
  }

  ComparisonMatrix take() {
    for (const Contrast& contrast : view_.contrasts.contrasts) add(contrast);
    for (std::uint32_t i = 0; i < view_.results.trials.size(); ++i) add_without_ratio(TrialIndex{i});
    sort();
    return std::move(matrix_);
  }

 private:
  std::size_t arm(const std::string& name) {
    const auto [entry, is_new] = arms_.try_emplace(name, matrix_.arms.size());
    if (is_new) matrix_.arms.push_back(name);
    for (MatrixSetting& setting : matrix_.settings) setting.cells.resize(matrix_.arms.size());
    return entry->second;
  }

  std::size_t setting(TrialIndex trial) {
    const auto label = analysis::label(view_.results.trials[trial.value].parameters, view_.axes.stratum);
    const auto [entry, is_new] = settings_.try_emplace(label, matrix_.settings.size());
    if (is_new)
      matrix_.settings.push_back({clean(heading_of(view_, trial)), clean(numbers_of(view_, trial)), {}, false});
    matrix_.settings[entry->second].cells.resize(matrix_.arms.size());
    return entry->second;
  }

  [[nodiscard]] std::string typical_figure(const Contrast& contrast, TrialIndex first,
                                           TrialIndex Contrast::Replicate::*of) const {
    return figure_of(view_, typical_trial(view_, &contrast, first, of));
  }

  void add(const Contrast& contrast) {
    const std::size_t column = arm(arm_of(view_, contrast.a));
    auto& cells = matrix_.settings[setting(contrast.b)].cells;
    cells[0].figure = typical_figure(contrast, contrast.b, &Contrast::Replicate::b);
    const bool is_contradicted = std::ranges::find(contradicted_, &contrast) != contradicted_.end();
    cells[column] = {
        &contrast, is_contradicted, typical_figure(contrast, contrast.a, &Contrast::Replicate::a), {}, false};
    const bool is_early = analysis::is_early(contrast);
    matrix_.early = matrix_.early || is_early;
    const bool is_better = matrix_.example == nullptr || (analysis::is_early(*matrix_.example) && !is_early);
    if (contrast.verdict != stats::Verdict::undecided && contrast.low && is_better) matrix_.example = &contrast;
  }

  /// Says how a trial of a known setting ended that has no ratio.
  void add_without_ratio(TrialIndex trial) {
    const results::TrialRow& row = view_.results.trials[trial.value];
    const bool is_finished = std::holds_alternative<sweep::Finished>(row.outcome);
    if (is_finished && row.verified != sweep::Verified::no) return;
    const auto place = settings_.find(analysis::label(row.parameters, view_.axes.stratum));
    const auto column = arms_.find(arm_of(view_, trial));
    if (place == settings_.end() || column == arms_.end()) return;  // an arm without any ratio is listed below
    MatrixCell& cell = matrix_.settings[place->second].cells[column->second];
    if (!cell.is_empty()) return;  // a replicate of it has a ratio
    cell.status = is_finished ? "other work" : sweep::status_of(row.outcome);
    cell.figure = is_finished ? figure_of(view_, row) : "";
    cell.is_bad = is_finished || std::holds_alternative<sweep::Failed>(row.outcome);
  }

  /// Settings with the same heading stand together, in the order of the plan.
  void sort() {
    struct Heading {
      std::size_t place = 0, settings = 0;
    };
    std::unordered_map<std::string, Heading> headings;
    for (const MatrixSetting& each : matrix_.settings)
      ++headings.try_emplace(each.heading, Heading{headings.size(), 0}).first->second.settings;
    for (MatrixSetting& each : matrix_.settings)
      each.stands_alone = each.name.empty() || each.heading.empty() || headings.at(each.heading).settings == 1;
    std::ranges::stable_sort(matrix_.settings, {},
                             [&](const MatrixSetting& each) { return headings.at(each.heading).place; });
  }

  const View& view_;
  std::vector<const Contrast*> contradicted_;
  std::unordered_map<std::string, std::size_t> arms_, settings_;
  ComparisonMatrix matrix_;
};

}  // namespace

std::string heading_of(const View& view, TrialIndex trial) {
  std::vector<sweep::Param> words;
  std::ranges::copy_if(view.axes.stratum, std::back_inserter(words),
                       [](sweep::Param param) { return !sweep::is_number(sweep::info(param)); });
  return analysis::label(view.results.trials[trial.value].parameters, words);
}

std::string figure_of(const View& view, const results::TrialRow& trial) {
  if (!std::holds_alternative<sweep::Finished>(trial.outcome)) return sweep::status_of(trial.outcome);
  if (view.contrasts.result) return result_text(trial, view.contrasts.result->name);
  return figure_text(trial, view.contrasts.metric);
}

std::optional<ComparisonMatrix> comparison_matrix(const View& view) {
  const auto baseline = baseline_of(view);
  if (!baseline) return std::nullopt;
  return Filling(view, *baseline).take();
}

std::string setting_name(const MatrixSetting& setting) {
  return setting.name.empty() || setting.heading.empty() ? setting.heading + setting.name
                                                         : setting.heading + " " + setting.name;
}

CellWords cell_words(const MatrixCell& cell) {
  if (!cell.status.empty()) return {cell.status};
  if (cell.contrast == nullptr) return {cell.figure.empty() ? std::string(dash) : cell.figure};
  const Contrast& contrast = *cell.contrast;
  const std::string mark = analysis::is_early(contrast) ? "*" : "";  // the legend explains it
  if (contrast.difference) {
    const RatioWords words = words_of(judged_ratio(contrast));
    return {words.figure + mark, words.interval};
  }
  const std::string interval = contrast.low && contrast.high
                                   ? fmt::format("[{}, {}]", takes_text(*contrast.low), takes_text(*contrast.high))
                                   : "";
  if (contrast.verdict == stats::Verdict::undecided) return {"not known", interval};
  return {takes_text(contrast.ratio) + "x" + mark, interval};
}

std::string cell_text(const MatrixCell& cell) {
  const CellWords words = cell_words(cell);
  return words.interval.empty() ? words.figure : words.figure + " " + words.interval;
}

std::string ranges_sentence(const View& view, const ComparisonMatrix& matrix) {
  if (!sweep::is_step_time(view.contrasts.metric)) return "";
  struct Range {
    std::string arm;
    double least = 0, most = 0;
  };
  std::vector<Range> ranges;
  for (std::size_t arm = 1; arm < matrix.arms.size(); ++arm) {
    std::vector<double> ratios;
    for (const MatrixSetting& setting : matrix.settings) {
      const Contrast* contrast = setting.cells[arm].contrast;
      if (contrast != nullptr && !contrast->difference && contrast->verdict != stats::Verdict::undecided)
        ratios.push_back(contrast->ratio);
    }
    if (ratios.empty()) continue;
    const auto [least, most] = std::ranges::minmax(ratios);
    ranges.push_back({clean(matrix.arms[arm]), least, most});
  }
  if (ranges.empty()) return "";
  std::ranges::stable_sort(ranges, std::ranges::greater(), &Range::most);
  std::string text;
  for (std::size_t i = 0; i < std::min(ranges.size(), most_ranges); ++i) {
    const Range& range = ranges[i];
    const std::string least = takes_text(range.least), most = takes_text(range.most);
    text += fmt::format("{}{}{} {}{} times{}", i == 0 ? "" : ", ", range.arm, i == 0 ? " takes" : "", least,
                        least == most ? "" : " to " + most,
                        i == 0 ? " as long as " + clean(matrix.arms.front()) : std::string());
  }
  if (ranges.size() > most_ranges) text += fmt::format(", and {} more arms", ranges.size() - most_ranges);
  return text + ".";
}

std::vector<std::string> matrix_legend(const View& view, const ComparisonMatrix& matrix) {
  const std::string baseline = clean(matrix.arms.front());
  const std::string of = analysis::has_replicates(view.contrasts.contrasts.front()) ? ", median over replicates" : "";
  const bool is_time = sweep::is_step_time(view.contrasts.metric);
  const std::string noun =
      view.contrasts.result ? view.contrasts.result->name : std::string(sweep::info(view.contrasts.metric).noun);
  std::vector<std::string> lines;
  if (is_time)
    lines.push_back(fmt::format("{}: median time of a step{}.", baseline, of));
  else if (view.contrasts.result)
    lines.push_back(fmt::format("{}: {}, as the program reports it{}.", baseline, noun, of));
  else
    lines.push_back(fmt::format("{}: {}{}.", baseline, noun, of));
  if (matrix.example != nullptr) {
    const Contrast& contrast = *matrix.example;
    const std::string cell = cell_text({&contrast, false, {}, {}, false}), times = takes_text(contrast.ratio);
    if (contrast.difference)
      lines.push_back(fmt::format("{}: {} than {}; the brackets hold the 95 % interval.", cell,
                                  words_of(judged_ratio(contrast)).figure, baseline));
    else if (is_time)
      lines.push_back(fmt::format("{}: takes {} times as long as {}; 95 % interval.", cell, times, baseline));
    else
      lines.push_back(fmt::format("{}: {} times the {} of {}; 95 % interval.", cell, times, noun, baseline));
  }
  if (matrix.early) lines.emplace_back("* early: likely; seven pairs of fresh processes are needed to confirm it.");
  return lines;
}

}  // namespace regatta::report
