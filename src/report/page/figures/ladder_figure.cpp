#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "regatta/analysis/roofline.hpp"
#include "regatta/report/wording.hpp"
#include "report/findings/findings.hpp"
#include "report/html_text.hpp"
#include "report/page/figures/figure_rows.hpp"
#include "report/page/figures/figures.hpp"

namespace regatta::report {
namespace {

using analysis::ChangedCell;
using analysis::Explanation;

constexpr std::size_t most_cells = 40;

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
  std::string svg =
      fmt::format(R"(<line class="rung" x1="0%" x2="{0}" y1="{1}" y2="{1}"/>)", x(rung.share), row_middle);
  if (rung.low && rung.high) svg += interval_bar(x(*rung.low), x(*rung.high));
  return svg;
}

std::string row(const Rung& rung, double longest) { return figure_row(rung.name, mark(rung, longest), rung.value); }

std::string missing(const ChangedCell& change) {
  const std::string what = change_text(change.intervention);
  const std::string reason = sweep::reason_of(change.outcome);
  if (!std::holds_alternative<sweep::Finished>(change.outcome))
    return note(what + ": " + sweep::status_of(change.outcome) + (reason.empty() ? "" : ", " + reason));
  return note(what + ": " +
              (change.verified == sweep::Verified::no ? "did not do the same work" : "not enough squares"));
}

/// The changes that have a figure; other batches are told by the rung of calls, and the last one is what the hardware
/// would need for the arithmetic alone.
std::vector<Rung> rungs_of(const Explanation& explanation, std::optional<double> roofline_seconds) {
  std::vector<Rung> rungs = {{"as it is", 1, {}, {}, "<b>" + duration_text(explanation.step_seconds) + "</b>"}};
  for (const ChangedCell& change : explanation.changes) {
    if (change.intervention.kind == sweep::InterventionKind::batch || !std::isfinite(change.ratio)) continue;
    const std::string text = removed_text(change.ratio, change.low, change.high);
    const auto cut = text.find('[');
    const std::string value =
        "<b>" + cell(text.substr(0, cut)) + "</b>" + (cut == std::string::npos ? "" : cell(text.substr(cut)));
    rungs.push_back({change_text(change.intervention), change.ratio, change.low, change.high, value});
  }
  const auto share = [&](double seconds) { return std::max(0.0, seconds) / explanation.step_seconds; };
  const auto time = [](double seconds) { return "<b>" + duration_text(seconds) + "</b>"; };
  if (const auto& line = explanation.line; line && line->calls_seconds > 0) {
    Rung calls{"calls alone (batch to 0)", share(line->calls_seconds), {}, {}, time(line->calls_seconds)};
    if (line->low && line->high) {
      calls.low = share(*line->low);
      calls.high = share(*line->high);
    }
    rungs.push_back(std::move(calls));
  }
  if (roofline_seconds)
    rungs.push_back({"arithmetic at the cores' peak", share(*roofline_seconds), {}, {}, time(*roofline_seconds)});
  return rungs;
}

std::string ladder(const View& view, const Explanation& explanation, const analysis::Roofline& roofline) {
  const auto& trial = view.results.trials[explanation.trial.value];
  const std::string name = analysis::trial_label(trial.parameters, view.axes);
  std::string html = "<h3>" + cell(name) + "</h3>\n";
  if (!std::isfinite(explanation.step_seconds)) return html + note(explanation_sentence(view, explanation));
  const auto rungs = rungs_of(explanation, roofline.step_seconds(trial));
  double longest = 1;
  for (const Rung& rung : rungs) longest = std::max({longest, rung.share, rung.high.value_or(0)});
  std::string rows;
  for (const Rung& rung : rungs) rows += row(rung, longest);
  html += figure_rows("the rest of a step of " + name, rows);
  for (const ChangedCell& change : explanation.changes) {
    if (change.intervention.kind != sweep::InterventionKind::batch && !std::isfinite(change.ratio))
      html += missing(change);
  }
  if (explanation.line) html += note("A step takes " + line_text(*explanation.line) + ".");
  return html;
}

constexpr std::string_view ladder_caption =
    "<figcaption><b>The rest of a step when one thing is changed.</b> Each rung is a cell with one thing changed, "
    "measured in turns with the cell as it is. Bar: what is left. Line: 95 % interval. Figure: what the change "
    "removes. Rungs need not add up: two changes may remove the same time, and what waits for something else costs "
    "nothing. The last rung is computed, not measured: the step's multiply-adds at the calibrated peak of these cores. "
    "These cells are no trials and stand in no ratio above.</figcaption>\n";

}  // namespace

std::string ladder_figure(const View& view) {
  const auto& explanations = view.explanations;
  if (explanations.empty()) return {};
  const analysis::Roofline roofline(view.results);
  std::string html = "<figure class=\"ladder\">\n" + std::string(ladder_caption);
  const std::size_t shown = std::min(explanations.size(), most_cells);
  for (std::size_t i = 0; i < shown; ++i) html += ladder(view, explanations[i], roofline);
  return html + more(shown, explanations.size(), "cells") + "</figure>\n";
}

}  // namespace regatta::report
