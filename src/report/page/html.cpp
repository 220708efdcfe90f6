#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "regatta/report/report.hpp"
#include "report/findings/contradictions.hpp"
#include "report/findings/findings.hpp"
#include "report/findings/learning_words.hpp"
#include "report/findings/summary.hpp"
#include "report/findings/view.hpp"
#include "report/html_text.hpp"
#include "report/page/figures/figures.hpp"
#include "report/page/html_style.hpp"
#include "report/page/learning_page.hpp"
#include "report/page/page.hpp"

namespace regatta::report {
namespace {

/// A folded part of the page; left out if it is empty.
struct Part {
  std::string_view anchor;
  std::string_view title;
  std::string content;
  bool is_open = false;
};

std::string head(const results::Results& results, std::string_view more_style) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{} - Regatta</title>\n<style>{}{}</style>\n</head>\n",
      cell(results.name, sentence_columns), style_sheet, more_style);
}

/// The run in one small line, the answer, what else was found, and figures that a check contradicts.
std::string opening(const View& view, const std::vector<Answer>& answers) {
  const auto ended = [](const std::string& sentence) {
    return cell(sentence, sentence_columns) + (sentence.ends_with('.') ? "" : ".");
  };
  std::string html = fmt::format("<header>\n<p class=\"counts\">{}: {}</p>\n",
                                 cell(view.results.name, sentence_columns), cell(run_line(view), sentence_columns));
  if (const std::string unnamed = unnamed_text(view); !unnamed.empty())
    html += "<p class=\"counts\">" + cell(unnamed, sentence_columns) + "</p>\n";
  const Answer first = answers.empty() ? Answer{view.results.name} : answers.front();
  html += "<h1>" + ended(first.text) + "</h1>\n";
  if (!first.remark.empty()) html += "<p class=\"finding\">" + ended(first.remark) + "</p>\n";
  for (std::size_t i = 1; i < answers.size(); ++i)
    html += "<p class=\"finding\">" + ended(one_line(answers[i])) + "</p>\n";
  for (const std::string& sentence : contradiction_sentences(view))
    html += "<p class=\"finding bad\">" + cell(sentence, check_columns) + ".</p>\n";
  return html + "</header>\n";
}

std::string card(std::string_view title, const std::string& text) {
  if (text.empty()) return {};
  return fmt::format("<div><b>{}</b>{}</div>\n", title, cell(text, check_columns));
}

std::string cards(const View& view) {
  const auto causes = cause_sentences(view, 1);
  const std::string html = card("How sure", resolution_sentence(view)) + card("Same work", same_work_sentence(view)) +
                           card("Why", causes.empty() ? "" : causes.front() + ".");
  return html.empty() ? html : "<div class=\"cards\">\n" + html + "</div>\n";
}

/// The command that makes sense now.
std::string next_step(const View& view, const analysis::Findings& findings) {
  const auto steps = next_steps(view.results, findings);
  if (steps.empty()) return {};
  return fmt::format("<p class=\"next\">Next: <code>{}</code> {}.</p>\n", cell(steps.front().command, sentence_columns),
                     cell(steps.front().purpose, sentence_columns));
}

/// Failures and other work take something away from the answer: they are not folded.
bool is_anything_bad(const View& view) {
  return std::ranges::any_of(view.results.trials, [](const results::TrialRow& trial) {
    return std::holds_alternative<sweep::Failed>(trial.outcome) || trial.verified == sweep::Verified::no;
  });
}

std::string folded(const std::vector<Part>& parts) {
  std::string html;
  for (const Part& part : parts) {
    if (part.content.empty()) continue;
    html += fmt::format("<details class=\"part\"{}><summary><h2 id=\"{}\">{}</h2></summary>\n{}</details>\n",
                        part.is_open ? " open" : "", part.anchor, part.title, part.content);
  }
  return html;
}

std::string how(const View& view) {
  const std::string checks = checks_list(view);
  return (checks.empty() ? "" : "<h3>Checks</h3>\n" + checks) + method() + "<h3>Words</h3>\n" + words_in_place();
}

/// The answer: the figure of all comparisons with its table. Where ranks were compared, whether more of them pay.
std::string comparison_answer(const View& view, const std::optional<ComparisonMatrix>& matrix) {
  const std::string ranks = ranks_figure(view);
  if (!matrix) return ranks + forest_figure(view);
  const std::string overview = overview_figure(view, *matrix) + matrix_html(view, *matrix);
  return ranks + (ranks.empty() ? overview : details("All ratios", overview));
}

std::string comparison_page(const View& view, const analysis::Findings& found) {
  std::vector<Answer> answers = headline(view);
  const auto matrix = comparison_matrix(view);
  if (matrix)
    if (std::string ranges = ranges_sentence(view, *matrix); !ranges.empty()) answers.push_back({std::move(ranges)});
  for (std::string& finding : findings(view)) answers.push_back({std::move(finding)});
  const std::vector<Part> parts = {
      {"open", "Failed, skipped, not known yet", not_measured_list(view), is_anything_bad(view)},
      {"trials", "All trials", trials_table(view) + contrasts_table(view)},
      {"times", "How time grows", line_figure(view)},
      {"why", "Why: a step with one thing changed", ladder_figure(view)},
      {"input", "Input: whether batches were ready", input_notes(view)},
      {"start", "Cold start, and when it catches up", cold_start_figure(view)},
      {"slices", "Every slice in the order of time", slices_figure(view)},
      {"identical", "Identical code, measured twice", clones_figure(view)},
      {"method", "How it was measured", how(view)},
      {"machine", "Machine, versions, and the command", machine_strip(view)},
      {"files", "Sweep file, environment, CSV and JSON", files(view)}};
  return opening(view, answers) + "<main>\n" + comparison_answer(view, matrix) + cards(view) + next_step(view, found) +
         folded(parts) + "</main>\n";
}

std::string study_page(const View& view, const analysis::Findings& found) {
  const std::vector<Part> parts = {{"open", "Failed and skipped", not_measured_list(view), is_anything_bad(view)},
                                   {"times", "How time grows", line_figure(view)},
                                   {"why", "Why: a step with one thing changed", ladder_figure(view)},
                                   {"input", "Input: whether batches were ready", input_notes(view)},
                                   {"machine", "Machine, versions, and the command", machine_strip(view)},
                                   {"files", "Sweep file, environment, CSV and JSON", files(view)}};
  std::string remarks;
  for (const std::string& remark : result_remarks(view)) remarks += note(remark + ".");
  return opening(view, headline(view)) + "<main>\n" + study_figure(view) + "<h2 id=\"trials\">All trials</h2>\n" +
         trials_table(view) + remarks + next_step(view, found) + folded(parts) + "</main>\n";
}

std::string learning_page(const View& view, const analysis::Findings& found) {
  const std::vector<Part> parts = {{"open", "Failed, skipped, open", not_measured_list(view), is_anything_bad(view)},
                                   {"costs", "Quality against its price", trade_offs_html(view)},
                                   {"targets", "Time to the target", targets_html(view)},
                                   {"stopped", "Stopped configurations", stopped_html(view)},
                                   {"rests", "Seeds, noise, cost and checks", learning_checks(view)},
                                   {"method", "How it was trained and judged", learning_method()},
                                   {"machine", "Machine, versions, and the command", machine_strip(view)},
                                   {"files", "Sweep file, environment, CSV and JSON", files(view)}};
  std::string warnings;
  for (const std::string& warning : learning_warnings(view, *view.learning)) warnings += note(warning + ".");
  std::vector<Answer> answers;
  for (std::string& sentence : learning_headline(view, *view.learning)) answers.push_back({std::move(sentence)});
  const std::string ranking = ranking_html(view);
  const std::string title = view.learning->search ? "Finalists" : "Configurations";
  return opening(view, answers) + "<main>\n" + warnings + learning_figure(view) +
         (ranking.empty() ? "" : "<h2 id=\"ranking\">" + title + "</h2>\n" + ranking) + next_step(view, found) +
         folded(parts) + "</main>\n";
}

}  // namespace

std::string html(const results::Results& results, const analysis::Findings& findings) {
  const View view = view_of(results, findings);
  const std::string page = view.learning    ? learning_page(view, findings)
                           : is_study(view) ? study_page(view, findings)
                                            : comparison_page(view, findings);
  return head(results, view.learning ? learning_style : "") + "<body>\n" + page + "</body>\n</html>\n";
}

}  // namespace regatta::report
