#include <fmt/format.h>

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

/// A part of the page with its anchor; left out if it is empty.
struct Part {
  std::string_view anchor;
  std::string_view title;
  std::string content;
};

std::string head(const results::Results& results, std::string_view more_style) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{} - Regatta</title>\n<style>{}{}</style>\n</head>\n",
      cell(results.name, sentence_columns), style_sheet, more_style);
}

/// A line for each: an answer that is not to be believed has to be short to be read.
std::string doubts(const View& view) {
  std::string html;
  for (const std::string& sentence : contradiction_sentences(view))
    html += "<p class=\"finding bad\">" + cell(sentence, check_columns) + ".</p>\n";
  return html;
}

/// What answers stands first and large; what else was found follows.
std::string opening(const View& view) {
  std::string html = "<header>\n<h1>" + cell(view.results.name, sentence_columns) + "</h1>\n";
  if (const std::string shared = shared_setting(view.results); !shared.empty())
    html += "<p class=\"counts\">" + cell(shared, sentence_columns) + "</p>\n";
  if (const std::string unnamed = unnamed_text(view); !unnamed.empty())
    html += "<p class=\"counts\">" + cell(unnamed, sentence_columns) + "</p>\n";
  const char* style = "headline";
  for (const auto& sentence : headline(view)) {
    const char* end = sentence.ends_with('.') ? "" : ".";
    html += fmt::format("<p class=\"{}\">{}{}</p>\n", style, cell(sentence, sentence_columns), end);
    style = "finding";
  }
  html += doubts(view);
  if (const std::string resolution = resolution_sentence(view); !resolution.empty())
    html += "<p class=\"finding\">" + cell(resolution, sentence_columns) + "</p>\n";
  for (const auto& finding : findings(view))
    html += "<p class=\"finding\">" + cell(finding, sentence_columns) + ".</p>\n";
  return html + "<p class=\"counts\">" + cell(counts_line(view.results)) + "</p>\n" + seal(view) + words_in_place() +
         machine_strip(view) + "</header>\n";
}

/// The same of a sweep that trains.
std::string learning_opening(const View& view) {
  std::string html = "<header>\n<h1>" + cell(view.results.name, sentence_columns) + "</h1>\n";
  const char* style = "headline";
  for (const auto& sentence : learning_headline(view, *view.learning)) {
    html += fmt::format("<p class=\"{}\">{}.</p>\n", style, cell(sentence, sentence_columns));
    style = "finding";
  }
  return html + "<p class=\"counts\">" + cell(learning_counts(*view.learning)) + "</p>\n" + learning_seal(view) +
         machine_strip(view) + "</header>\n";
}

std::string contents(const std::vector<Part>& parts) {
  std::string html = "<nav aria-label=\"Contents\"><ul>\n";
  for (const Part& part : parts) {
    if (!part.content.empty()) html += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", part.anchor, part.title);
  }
  return html + "</ul></nav>\n";
}

std::vector<Part> parts_of(const View& view) {
  return {{"fastest", "The fastest first", fastest_table(view)},
          {"ranks", "Whether more ranks pay", ranks_figure(view)},
          {"ratios", "How much longer than the baseline", forest_figure(view)},
          {"times", "How time grows", line_figure(view)},
          {"map", "Ratios at a glance", heat_map(view)},
          {"why", "Why: a step with one thing changed", ladder_figure(view)},
          {"input", "Input: whether batches were ready", input_notes(view)},
          {"start", "Cold start, and when it has paid back", cold_start_figure(view)},
          {"open", "Failed, skipped, not known yet", not_measured_list(view)},
          {"trials", "All trials", trials_table(view) + contrasts_table(view)},
          {"slices", "Every slice in the order of time", slices_figure(view)},
          {"identical", "Identical code, measured twice", clones_figure(view)},
          {"method", "How it was measured", method()},
          {"files", "Sweep file, environment, CSV and JSON", files(view)}};
}

std::vector<Part> learning_parts(const View& view) {
  return {{"ranking", view.learning->search ? "Finalists" : "Configurations", ranking_html(view)},
          {"curves", "Learning curves", learning_figure(view)},
          {"costs", "Quality against its price", trade_offs_html(view)},
          {"targets", "Time to the target", targets_html(view)},
          {"stopped", "What was stopped, and when", stopped_html(view)},
          {"open", "Failed, skipped, open", not_measured_list(view)},
          {"method", "How it was trained and judged", learning_method()},
          {"files", "Sweep file, environment, CSV and JSON", files(view)}};
}

}  // namespace

std::string html(const results::Results& results, const analysis::Findings& findings) {
  const View view = view_of(results, findings);
  const bool trains = view.learning.has_value();
  const auto parts = trains ? learning_parts(view) : parts_of(view);
  std::string page = head(results, trains ? learning_style : "") + "<body>\n" +
                     (trains ? learning_opening(view) : opening(view)) + contents(parts) + "<main>\n";
  for (const Part& part : parts) {
    if (part.content.empty()) continue;
    page += fmt::format("<section aria-labelledby=\"{0}\"><h2 id=\"{0}\">{1}</h2>\n{2}</section>\n", part.anchor,
                        part.title, part.content);
  }
  const bool has_table = !trains && !parts.front().content.empty();
  return page + "</main>\n" + (has_table ? sorting_script() : "") + "</body>\n</html>\n";
}

}  // namespace regatta::report
