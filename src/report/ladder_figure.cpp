#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "regatta/analysis/wording.hpp"
#include "report/figures.hpp"
#include "report/log_axis.hpp"
#include "report/text.hpp"

namespace regatta::report {
namespace {

using analysis::ChangedCell;
using analysis::Explanation;

constexpr std::size_t most_cells = 40;
constexpr std::size_t label_columns = 60;
constexpr std::size_t reason_columns = 200;
constexpr double middle = 13;  // of a row that is 26 pixels high

/// One rung: a share of the step with its interval, both as fractions of the step as it is.
struct Rung {
  std::string name;
  double share = 0;
  std::optional<double> low;
  std::optional<double> high;
  std::string value;  ///< HTML
};

/// The longest share of a ladder fills the figure.
double percent_of(double share, double longest) { return std::clamp(96 * share / longest, 0.0, 100.0); }

std::string mark(const Rung& rung, double longest) {
  const auto x = [&](double share) { return percent_text(percent_of(share, longest)); };
  std::string svg = fmt::format(R"(<line class="rung" x1="0%" x2="{0}" y1="{1}" y2="{1}"/>)", x(rung.share), middle);
  if (rung.low && rung.high) {
    svg +=
        fmt::format(R"(<line class="bar" x1="{0}" x2="{1}" y1="{2}" y2="{2}"/>)", x(*rung.low), x(*rung.high), middle);
    for (const double end : {*rung.low, *rung.high})
      svg += fmt::format(R"(<line class="bar" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>)", x(end), middle - 4, middle + 4);
  }
  return svg;
}

std::string row(const Rung& rung, double longest) {
  return fmt::format(
      "<div class=\"row\"><span class=\"name\">{}</span><svg class=\"plot\" height=\"26\" aria-hidden=\"true\">{}</svg>"
      "<span class=\"value\">{}</span></div>\n",
      escape(rung.name), mark(rung, longest), rung.value);
}

std::string note(const std::string& text) {
  return "<p class=\"note\">" + escape(clip(clean(text), reason_columns)) + "</p>\n";
}

std::string missing(const ChangedCell& change) {
  const std::string what = analysis::change_text(change.intervention, std::nullopt);
  const std::string reason = sweep::reason_of(change.outcome);
  if (!std::holds_alternative<sweep::Finished>(change.outcome))
    return note(what + ": " + sweep::status_of(change.outcome) + (reason.empty() ? "" : ", " + reason));
  return note(what + ": " + (change.verified == "no" ? "did not do the same work" : "not enough squares"));
}

/// The changes that have a figure; other batches are told by the rung of calls.
std::vector<Rung> rungs_of(const Explanation& explanation) {
  std::vector<Rung> rungs = {
      {"as it is", 1, {}, {}, "<b>" + analysis::duration_text(explanation.step_seconds) + "</b>"}};
  for (const ChangedCell& change : explanation.changes) {
    if (change.intervention.kind == sweep::InterventionKind::batch || !std::isfinite(change.ratio)) continue;
    const std::string text = analysis::removed_text(change.ratio, change.low, change.high);
    const auto cut = text.find('[');
    const std::string value =
        "<b>" + escape(text.substr(0, cut)) + "</b>" + (cut == std::string::npos ? "" : escape(text.substr(cut)));
    rungs.push_back(
        {analysis::change_text(change.intervention, std::nullopt), change.ratio, change.low, change.high, value});
  }
  if (const auto& line = explanation.line; line && line->calls_seconds > 0) {
    const auto share = [&](double seconds) { return std::max(0.0, seconds) / explanation.step_seconds; };
    Rung calls{"calls alone (batch to 0)",
               share(line->calls_seconds),
               {},
               {},
               "<b>" + analysis::duration_text(line->calls_seconds) + "</b>"};
    if (line->low && line->high) {
      calls.low = share(*line->low);
      calls.high = share(*line->high);
    }
    rungs.push_back(std::move(calls));
  }
  return rungs;
}

std::string ladder(const View& view, const Explanation& explanation) {
  const auto& parameters = view.results.trials[explanation.trial.value].parameters;
  std::string html =
      "<h3>" + escape(clip(clean(analysis::trial_label(parameters, view.axes)), label_columns)) + "</h3>\n";
  if (!std::isfinite(explanation.step_seconds)) return html + note(explanation.text);
  const auto rungs = rungs_of(explanation);
  double longest = 1;
  for (const Rung& rung : rungs) longest = std::max({longest, rung.share, rung.high.value_or(0)});
  for (const Rung& rung : rungs) html += row(rung, longest);
  for (const ChangedCell& change : explanation.changes) {
    if (change.intervention.kind != sweep::InterventionKind::batch && !std::isfinite(change.ratio))
      html += missing(change);
  }
  if (explanation.line) html += note("A step takes " + analysis::line_text(*explanation.line) + ".");
  return html;
}

constexpr std::string_view caption =
    "<figcaption><b>What is left of a step when one thing is changed.</b> Each rung is a cell measured again beside "
    "the "
    "cell as it is, interleaved with it; bar: what is left; line: 95 % interval; the figure is what that removes. "
    "Rungs "
    "need not add up: what two changes have in common is removed by each of them, and what waits for something else "
    "costs nothing. These cells are no trials and stand in no ratio above.</figcaption>\n";

}  // namespace

std::string ladder_figure(const View& view) {
  const auto& explanations = view.explanations;
  if (explanations.empty()) return {};
  std::string html = "<figure class=\"ladder\">\n" + std::string(caption);
  const std::size_t shown = std::min(explanations.size(), most_cells);
  for (std::size_t i = 0; i < shown; ++i) html += ladder(view, explanations[i]);
  if (shown < explanations.size())
    html += note(
        fmt::format("{} more cells are in the result file and in regatta report --json", explanations.size() - shown));
  return html + "</figure>\n";
}

}  // namespace regatta::report
