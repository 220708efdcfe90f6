#include "report/page/learning_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "regatta/report/wording.hpp"
#include "report/findings/learning_words.hpp"
#include "report/html_text.hpp"

namespace regatta::report {
namespace {

using analysis::Ranked;

constexpr std::size_t most_rows = 300;

std::string right(const std::string& text) { return "<td class=\"n\">" + text + "</td>"; }

std::string left(const std::string& text) { return "<td>" + text + "</td>"; }

std::string head_of_axes(const Learning& learning) {
  std::string html;
  for (const auto param : learning.axes)
    html += column_head(sweep::name_of(param), sweep::is_number(sweep::info(param)));
  return html;
}

std::string cells_of_axes(const View& view, TrialIndex trial) {
  std::string html;
  for (const auto param : view.learning->axes) {
    const std::string text = cell(level_text(view, param, trial));
    html += sweep::is_number(sweep::info(param)) ? right(text) : left(text);
  }
  return html;
}

std::string name_cell(const View& view, TrialIndex trial) {
  return "<td class=\"text\">" + cell(configuration_text(view, *view.learning, trial), sentence_columns) + "</td>";
}

std::string ranked_row(const View& view, const Ranked& row, std::size_t rank) {
  const Learning& learning = *view.learning;
  const bool is_accuracy = analysis::is_accuracy(learning.objective.metric);
  std::string html = fmt::format("<tr{}>", row.in_set ? "" : " class=\"grey\"") + right(std::to_string(rank)) +
                     name_cell(view, row.trial);
  if (learning.search) html += right(quality_text(is_accuracy, row.searched.value_or(NAN)));
  html += left(figure_text(is_accuracy, row.validation)) + left(figure_text(is_test_accuracy(learning), row.test)) +
          left(behind_text(learning, row)) + left(in_set_text(learning, row)) +
          (learning.objective.target ? left(target_text(row)) : "") +
          right(std::to_string(row.validation.by_seed.size() + row.diverged)) + right(std::to_string(row.diverged));
  if (is_test_accuracy(learning)) {
    html += left(row.new_samples ? interval_text(true, *row.new_samples) : std::string(dash));
    html += left(figure_text(false, row.test_loss));
  }
  return html + "</tr>\n";
}

std::string rank_of(const Learning& learning, TrialIndex trial) {
  const auto found = std::ranges::find(learning.ranking, trial, &Ranked::trial);
  return std::to_string(found - learning.ranking.begin() + 1);
}

std::string seconds_text(const search::Figure& figure) {
  if (figure.by_seed.empty()) return std::string(dash);
  const auto& range = figure.mean.range;
  std::string text = duration_text(figure.mean.value);
  if (!range.finite()) return text;
  return text + " [" + duration_text(std::max(range.low, 0.0)) + ", " + duration_text(range.high) + "]";
}

std::string samples_text(const stats::Estimate& samples) {
  if (std::isnan(samples.value)) return std::string(dash);
  const auto text = [](double each) { return std::isfinite(each) ? fmt::format("{:.0f}", each) : "never"; };
  const std::string median = text(samples.value);
  return samples.range.low > 0 ? fmt::format("{} [{}, {}]", median, text(samples.range.low), text(samples.range.high))
                               : median;
}

constexpr std::string_view learning_method_text = R"(<ol>
<li>The samples are divided into training, validation and test. Scales and the like are fitted on training only. The
seed of a run draws its weights, its order, its dropout and its validation samples.</li>
<li>Figures of a run are those of its best evaluation by validation; test figures are of the weights it had then.</li>
<li>A search goes in rungs of samples seen, never of seconds: after each the worst are stopped, near-ties go on. All are
trained under one seed. Some configurations are trained under a second one that the search cannot tell apart: it shows
how far two runs of the same differ.</li>
<li>One stopped configuration in eight, drawn at random, is trained to the end all the same: it shows what stopping costs.</li>
<li>The best few are trained again under fresh seeds, which chose nothing. Their validation decides which one leads.
The set holds all that are not shown to be worse than the leader by the margin. A verdict needs seven seeds.</li>
<li>Then the test part is opened once for each of these runs. Its figures change no rank.</li>
<li>Intervals in square brackets are 95 % over seeds (Student's t). "Behind" is paired by seed and holds for all rows
together.</li>
<li>A run whose loss is not finite any more has diverged: it is last, and not an error.</li>
</ol>
<h3>Limits of these figures</h3>
<ul>
<li>An interval over seeds is about these test samples. For samples to come it is wider: the interval for new samples
takes the test part for a random draw (a bootstrap over samples; Wilson where fewer than ten were ever wrong) and knows
nothing of data that drifts.</li>
<li>Configurations that were not tried may be better, and stopped ones as well: see what was trained on.</li>
<li>Seconds of training are of this machine; runs did not take turns, so that small differences of time say nothing.</li>
</ul>
)";

}  // namespace

const std::string_view learning_style = R"css(
.trace { fill: none; stroke: var(--mark); stroke-width: 1; opacity: .45; vector-effect: non-scaling-stroke; }
.lines line.trace { stroke-width: 1; } .trace.end { stroke-width: 5; stroke-linecap: round; opacity: .6; }
.seal.rests { border: 1px solid var(--rule); } .seal.rests p { color: var(--ink); }
.faint { opacity: .12; } .grey td { color: var(--soft); } .end-label { fill: var(--ink); font-weight: 600; }
)css";

std::string learning_checks(const View& view) {
  std::string html = "<ul>\n";
  for (const std::string& line : learning_trust(view, *view.learning))
    html += "<li>" + cell(line, sentence_columns) + "</li>\n";
  for (const auto& [name, text] :
       {std::pair("Stopped", stopped_text(*view.learning)), std::pair("Noise", noise_text(*view.learning)),
        std::pair("Cost", cost_text(*view.learning))}) {
    if (!text.empty()) html += fmt::format("<li>{}: {}</li>\n", name, cell(text, sentence_columns));
  }
  return html + "</ul>\n";
}

std::string ranking_html(const View& view) {
  const Learning& learning = *view.learning;
  if (learning.ranking.empty()) return {};
  std::string html = "<table>\n<thead><tr>" + column_head("rank", true) + column_head("configuration");
  if (learning.search) html += column_head("search saw", true);
  for (const char* name : {"validation [95 %]", "test [95 %]", "behind", "in set"}) html += column_head(name);
  if (learning.objective.target) html += column_head(target_name(learning));
  html += column_head("seeds", true) + column_head(learning.failures.empty() ? "diverged" : "no result", true);
  if (is_test_accuracy(learning)) html += column_head("test, new samples") + column_head("test loss [95 %]");
  html += "</tr></thead>\n<tbody>\n";
  const std::size_t shown = std::min(learning.ranking.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i) html += ranked_row(view, learning.ranking[i], i + 1);
  return scrolled("ranking", html + "</tbody></table>") + more(shown, learning.ranking.size(), "configurations") +
         note(learning_legend(learning) + ".");
}

std::string trade_offs_html(const View& view) {
  const Learning& learning = *view.learning;
  const auto has_seconds = [](const Ranked& row) { return !row.train_seconds.by_seed.empty(); };
  if (learning.ranking.size() < 2 || std::ranges::none_of(learning.ranking, has_seconds)) return {};
  const bool is_accuracy = analysis::is_accuracy(learning.objective.metric);
  const bool has_memory =
      std::ranges::any_of(learning.ranking, [](const Ranked& row) { return row.peak_bytes.has_value(); });
  std::string html = "<table>\n<thead><tr>" + column_head("rank", true) + column_head("configuration") +
                     column_head("validation [95 %]") + column_head("training, one run [95 %]");
  if (has_memory) html += column_head("peak memory", true);
  html += column_head("beaten by rank", true) + "</tr></thead>\n<tbody>\n";
  const std::size_t shown = std::min(learning.ranking.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const Ranked& row = learning.ranking[i];
    html += fmt::format("<tr{}>", row.dominated_by ? " class=\"grey\"" : "") + right(std::to_string(i + 1)) +
            name_cell(view, row.trial) + left(figure_text(is_accuracy, row.validation)) +
            left(seconds_text(row.train_seconds));
    if (has_memory) html += right(size_text(row.peak_bytes));
    html += right(row.dominated_by ? rank_of(learning, *row.dominated_by) : std::string(dash)) + "</tr>\n";
  }
  return scrolled("quality and cost", html + "</tbody></table>") +
         note(
             "Grey: beaten. Intervals show another one to be better in one column and as good in the others. As good: "
             "quality within the margin, seconds and memory within 5 %.");
}

std::string targets_html(const View& view) {
  const Learning& learning = *view.learning;
  if (!learning.objective.target || learning.ranking.empty()) return {};
  std::string html = "<table>\n<thead><tr>" + column_head("rank", true) + column_head("configuration") +
                     column_head("runs") + column_head("samples [95 %]") + column_head("training [95 %]") +
                     column_head("with evaluations [95 %]") + column_head("with start [95 %]") +
                     "</tr></thead>\n<tbody>\n";
  const std::size_t shown = std::min(learning.ranking.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const Ranked& row = learning.ranking[i];
    html += "<tr>" + right(std::to_string(i + 1)) + name_cell(view, row.trial);
    if (row.target)
      html += left(fmt::format("{} of {}", row.target->reached, row.target->runs)) +
              left(samples_text(row.target->samples)) + left(clock_text(row.target->train_seconds)) +
              left(clock_text(row.target->all_seconds)) + left(clock_text(row.target->with_start));
    else
      for (int column = 0; column < 5; ++column) html += left(std::string(dash));
    html += "</tr>\n";
  }
  std::string text =
      "Medians over runs, of which one that never arrives lies above all others. With start: a cold start "
      "of the engine, preparing and compiling the run's model, training and evaluations. Processes stay "
      "warm from run to run, so that the cold start is the median of those seen in this run";
  if (const std::string starts = starts_text(learning); !starts.empty()) text += ": " + starts;
  return scrolled("time to the target", html + "</tbody></table>") + note(text + ".");
}

std::string stopped_html(const View& view) {
  const Learning& learning = *view.learning;
  if (!learning.search || learning.stopped.empty()) return {};
  const bool is_accuracy = analysis::is_accuracy(learning.objective.metric);
  std::string html = "<table>\n<thead><tr>" + column_head("stopped after", true) + head_of_axes(learning) +
                     column_head("why") + column_head("trained on, at the end") + "</tr></thead>\n<tbody>\n";
  const std::size_t shown = std::min(learning.stopped.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& each = learning.stopped[i];
    std::string end(dash);
    if (each.end_score)
      end = quality_text(is_accuracy, *each.end_score) +
            (each.would_be_in_set ? ", would have been a finalist" : ", rightly stopped");
    html += "<tr>" + right(fmt::format("{:.2g} %", 100 * sweep::end_of_rung(*learning.search, each.after_rung))) +
            cells_of_axes(view, each.trial) + left(each.diverged ? "diverged or failed" : "behind the others") +
            left(end) + "</tr>\n";
  }
  return note(stopped_text(learning) + ".") + scrolled("stopped configurations", html + "</tbody></table>") +
         more(shown, learning.stopped.size(), "configurations");
}

std::string learning_method() { return std::string(learning_method_text); }

}  // namespace regatta::report
