#include "report/terminal/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "regatta/report/orchestration.hpp"
#include "regatta/report/report.hpp"
#include "regatta/report/text.hpp"
#include "regatta/report/wording.hpp"
#include "report/findings/contradictions.hpp"
#include "report/findings/findings.hpp"
#include "report/findings/learning_words.hpp"
#include "report/findings/rank_lines.hpp"
#include "report/findings/summary.hpp"
#include "report/findings/view.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t explanations_shown = 12;
constexpr std::size_t inputs_shown = 12;
constexpr std::size_t reasons_shown = 40;
constexpr std::size_t label_columns = 7;  // "Trust  "
constexpr std::size_t legend_indent = 2;  // below a matrix
constexpr std::size_t causes_shown = 1;
constexpr std::size_t waits_shown = 3;   // cells whose steps waited for batches or ranks
constexpr std::size_t word_columns = 8;  // "Why     "

/// "quickstart   digits-mlp, 1 thread, CPU", then "20 trials: 20 finished, 13 contrasts, took 47 s": one line where
/// both fit.
void add_first_line(std::string& out, const View& view, std::size_t columns, const Style& style) {
  const std::string name = clean(view.results.name);
  const std::string shared = clean(shared_setting(view.results));
  std::string counts = view.learning ? learning_counts(*view.learning) : counts_line(view.results);
  if (const auto count = view.contrasts.contrasts.size(); count > 0)
    counts += fmt::format(", {} contrast{}", count, count == 1 ? "" : "s");
  const double seconds = run_seconds(view.results);
  if (seconds > 0) counts += ", " + took_text(view.results, time_text(seconds));
  const std::string behind = shared.empty() ? "" : "   " + shared;
  if (width(name + behind + "   " + counts) <= columns) {
    out += style.bold(name) + behind + "   " + counts + '\n';
    return;
  }
  paragraph(out, shared.empty() ? name : name + ": " + shared, columns, 0);
  paragraph(out, counts, columns, 0);
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

void add_opening(std::string& out, const View& view, std::size_t columns, const Style& style) {
  add_first_line(out, view, columns, style);
  for (const auto& machine : machines(view.results)) paragraph(out, machine, columns, 0);
  paragraph(out, joined(engines(view.results)), columns, 0);
  paragraph(out, unnamed_text(view), columns, 0);
  out += '\n';
}

/// Each line of it by itself, so that none is coloured by the one before.
void red_paragraph(std::string& out, const std::string& text, std::size_t columns, const Style& style) {
  std::string lines;
  paragraph(lines, text, columns, 0);
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    out += style.in(ansi::red, lines.substr(at, end - at)) + '\n';
    at = end + 1;
  }
}

void add_answers(std::string& out, const View& view, std::size_t columns, const Style& style) {
  std::vector<std::string> answers;
  for (const Answer& answer : headline(view)) answers.push_back(one_line(answer));
  const auto ranges = pair_ranges(view);
  for (const auto& sentence : answers) paragraph(out, sentence, columns, 0);
  if (ranges != answers)
    for (const auto& sentence : ranges) paragraph(out, sentence, columns, 0);
  paragraph(out, resolution_sentence(view), columns, 0);
  paragraph(out, further_sentence(view), columns, 0);
  for (const auto& sentence : contradiction_sentences(view)) red_paragraph(out, sentence, columns, style);
  for (const auto& finding : findings(view)) paragraph(out, finding, columns, 0);
}

/// The content of the columns of the two arms.
std::string figures_text(const analysis::Contrasts& contrasts) {
  const sweep::Metric metric = contrasts.metric;
  if (sweep::is_step_time(metric)) return "times: of a step";
  if (contrasts.result)
    return fmt::format("columns of the arms: {} ({}), as their programs tell it, the median over runs; {} is better",
                       contrasts.result->name, contrasts.result_unit, sweep::name_of(contrasts.result->better));
  const sweep::MetricInfo& info = sweep::info(metric);
  return fmt::format("columns of the arms: {} ({}, {}), {}", info.noun, info.name, info.unit, info.description);
}

/// The content of the columns "is" and "95 %".
std::string what_is_told(const analysis::Contrasts& contrasts) {
  const auto is_difference = [](const analysis::Contrast& contrast) { return contrast.difference.has_value(); };
  if (std::ranges::all_of(contrasts.contrasts, is_difference))
    return "; is, 95 %: the difference and its interval, from runs of both that took turns";
  const std::string ratio =
      "; is, 95 %: the ratio and its interval, from slices of both that took turns: quote these and not the quotient "
      "of two figures";
  if (std::ranges::none_of(contrasts.contrasts, is_difference)) return ratio;
  return ratio + "; where a value is zero or below, or the margin is in its unit: their difference";
}

/// The meaning of the columns that are there.
std::string legend_of(const PairTables& pairs, const analysis::Contrasts& contrasts) {
  std::string text = figures_text(contrasts) + what_is_told(contrasts);
  if (std::ranges::any_of(contrasts.contrasts, analysis::has_replicates))
    text += "; over replicates: figures of the arms are medians, what is told is the mean over replicates";
  if (pairs.has_processes) text += "; processes: fresh ones of each side x squares (balanced rounds of slices) in each";
  const bool is_any_early = std::ranges::any_of(contrasts.contrasts, [](const analysis::Contrast& contrast) {
    return contrast.verdict != stats::Verdict::undecided && !contrast.confirmed;
  });
  if (is_any_early)
    text += "; early: likely, but it also rests on how such processes scattered before; seven pairs or more confirm it";
  const sweep::MetricInfo& info = sweep::info(contrasts.metric);
  if (pairs.has_bars) text += fmt::format("; bars: < {}, > {}, on the log scale above them", info.less, info.more);
  return text;
}

void add_tables(std::string& out, const View& view, const TerminalOptions& options, const Style& style,
                std::size_t columns) {
  const PairTables pairs = pair_tables(view, options, style);
  const std::string trials = trial_table(view, options, style);
  out += pairs.text + trials + '\n';
  if (pairs.text.empty()) {
    paragraph(out, "step: median", columns, 0);
    if (const std::string quantiles = quantiles_sentence(view); !quantiles.empty())
      paragraph(out, quantiles, columns, 0);
    return;
  }
  paragraph(out, legend_of(pairs, view.contrasts), columns, 0);
}

/// Adds the causes of each cell's time.
void add_why(std::string& out, const View& view, std::size_t columns, const Style& style) {
  for (const std::string& cause : cause_sentences(view, explanations_shown))
    hanging(out, "why:", 5, cause, columns, style);
  if (view.explanations.size() > explanations_shown)
    paragraph(out,
              fmt::format("why: {} more cells, all in the HTML report", view.explanations.size() - explanations_shown),
              columns, 0);
}

void add_some(std::string& out, const std::string& label, const std::vector<std::string>& lines, std::size_t columns,
              const Style& style) {
  const std::size_t shown = lines.size() > inputs_shown ? inputs_shown - 1 : lines.size();
  for (std::size_t i = 0; i < shown; ++i) hanging(out, label, label.size() + 1, lines[i], columns, style);
  if (shown < lines.size())
    paragraph(out, fmt::format("{} {} more lines, all in the HTML report", label, lines.size() - shown), columns, 0);
}

/// Where steps waited for Regatta's loader, the last line for all where they did not; then what stops more ranks.
void add_inputs(std::string& out, const View& view, std::size_t columns, const Style& style) {
  add_some(out, "input:", input_lines(view), columns, style);
  add_some(out, "ranks:", rank_reasons(view), columns, style);
}

void add_trust(std::string& out, const View& view, std::size_t columns, const Style& style) {
  std::string_view word = "Trust";
  for (const std::string& check : checks_of(view)) {
    hanging(out, word, label_columns, check, columns, style);
    word = "";
  }
  for (const std::string& remark : remarks_of(view)) hanging(out, "", label_columns, remark, columns, style);
  if (const std::string cost = orchestration_text(view.results.sessions); !cost.empty())
    hanging(out, "Run", label_columns, cost, columns, style);
}

/// Adds the trials without a figure, or with one that must not be relied on. Without `with_time` trials that only need
/// more time are left to the command that is proposed next.
void add_open(std::string& out, const View& view, std::size_t columns, const Style& style, bool with_time = true) {
  auto all = not_measured(view.results);
  for (auto& each : not_decided(view))
    if (with_time || !each.needs_time) all.push_back(std::move(each));
  for (std::size_t i = 0; i < std::min(all.size(), reasons_shown); ++i) {
    const Ended& ended = all[i];
    out += '\n';
    hanging(out, ended.status, ended.status.size() + 1, names_of(view, ended.trials, names_shown), columns, style);
    if (!ended.reason.empty()) paragraph(out, reason_text(view, ended), columns, 2);
    paragraph(out, "-> " + ended.advice, columns, 2);
  }
  if (all.size() > reasons_shown)
    out += fmt::format("\n... {} more reasons, all in the HTML report\n", all.size() - reasons_shown);
}

/// Finished trials without a ratio; the others already say why.
void add_missing(std::string& out, const View& view, std::size_t columns) {
  for (const NoRatio& missing : no_ratios(view)) {
    const auto& first = view.results.trials[missing.trials.front().value];
    if (!std::holds_alternative<sweep::Finished>(first.outcome)) continue;
    out += '\n';
    paragraph(out, names_of(view, missing.trials, names_shown) + ": " + missing.reason, columns, 0);
  }
}

/// "quickstart: 20 trials in 45 s on AMD EPYC (2 cores); mlp-10, 1 thread, CPU", then the versions.
void add_title(std::string& out, const View& view, std::size_t columns, const Style& style) {
  std::string lines;
  paragraph(lines, clean(view.results.name) + ": " + run_line(view), columns, 0);
  const std::size_t name = width(clean(view.results.name));
  out += style.bold(lines.substr(0, name)) + lines.substr(name);
  paragraph(out, joined(engines(view.results)), columns, 0);
  paragraph(out, unnamed_text(view), columns, 0);
  out += '\n';
}

/// The two causes that cost most, or what changes to the cells removed, behind one word.
void add_causes(std::string& out, const View& view, std::size_t columns, const Style& style) {
  const std::vector<std::string> causes = cause_sentences(view, causes_shown);
  std::string_view word = "Why";
  for (const std::string& cause : causes) {
    hanging(out, word, word_columns, cause, columns, style);
    word = "";
  }
  for (const auto& [name, lines] : {std::pair("Input", input_waits(view)), std::pair("Ranks", rank_reasons(view))}) {
    for (std::size_t i = 0; i < std::min(lines.size(), waits_shown); ++i)
      hanging(out, i == 0 ? name : "", word_columns, lines[i], columns, style);
  }
}

void add_sure(std::string& out, const View& view, std::size_t columns, std::size_t indent) {
  const std::string sure = resolution_sentence(view), same = same_work_sentence(view);
  paragraph(out, sure.empty() || same.empty() ? sure + same : sure + " " + same, columns, indent);
}

/// Answer, one table, how sure it is, why, and what has no answer.
std::string short_form(const View& view, const TerminalOptions& options, const Style& style, std::size_t columns) {
  std::string out;
  add_title(out, view, columns, style);
  if (view.learning) {
    out += learning_answer(view, options, style);
    add_open(out, view, columns, style, false);
    return out;
  }
  for (const Answer& answer : headline(view)) paragraph(out, one_line(answer), columns, 0);
  for (const auto& sentence : contradiction_sentences(view)) red_paragraph(out, sentence, columns, style);
  for (const auto& finding : findings(view)) paragraph(out, finding, columns, 0);
  const std::string matrix = matrix_table(view, options, style);
  if (matrix.empty()) {
    const PairTables pairs = pair_tables(view, options, style);
    std::string below;
    if (!pairs.text.empty()) paragraph(below, legend_of(pairs, view.contrasts), columns, 0);
    add_sure(below, view, columns, 0);
    for (const std::string& remark : result_remarks(view)) paragraph(below, remark, columns, 0);
    out += pairs.text + trial_table(view, options, style) + (below.empty() ? "" : '\n' + below);
  } else {
    out += '\n' + matrix;
    add_sure(out, view, columns, legend_indent);
    out += trial_table(view, options, style);
  }
  std::string causes;
  add_causes(causes, view, columns, style);
  if (!causes.empty()) out += '\n' + causes;
  add_open(out, view, columns, style, false);
  add_missing(out, view, columns);
  return out;
}

}  // namespace

std::string terminal(const results::Results& results, const analysis::Findings& findings,
                     const TerminalOptions& options) {
  const View view = view_of(results, findings);
  const Style style{options.colour};
  const auto columns = static_cast<std::size_t>(std::max(options.columns, 20));
  if (!options.details) return short_form(view, options, style, columns);
  std::string out;
  add_opening(out, view, columns, style);
  if (view.learning) {
    out += learning_details(view, options, style);
    add_open(out, view, columns, style);
    return out;
  }
  add_answers(out, view, columns, style);
  add_tables(out, view, options, style, columns);
  add_why(out, view, columns, style);
  add_inputs(out, view, columns, style);
  add_trust(out, view, columns, style);
  add_open(out, view, columns, style);
  add_missing(out, view, columns);
  return out;
}

}  // namespace regatta::report
