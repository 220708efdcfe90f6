#include "report/html_text.hpp"

#include <fmt/format.h>

#include "regatta/report/text.hpp"

namespace regatta::report {

std::string cell(std::string_view text, std::size_t columns) { return escape(clip(clean(text), columns)); }

std::string ratio_html(const analysis::JudgedRatio& judged) {
  return fmt::format("<b>{}</b> {}", words_of(judged).figure, interval_text(judged));
}

std::string note(std::string_view text) { return "<p class=\"note\">" + cell(text, sentence_columns) + "</p>\n"; }

std::string more(std::size_t shown, std::size_t all, std::string_view what) {
  if (shown >= all) return {};
  return fmt::format(
      "<p class=\"note\">{} more {} are in the result file and in <code>regatta report --json</code>.</p>\n",
      all - shown, what);
}

std::string scrolled(std::string_view label, const std::string& table) {
  return fmt::format(
      "<p class=\"sideways\" aria-hidden=\"true\">\u2194 this table may go on to the right</p>\n"
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">{}</div>\n",
      cell(label), table);
}

std::string details(std::string_view summary, const std::string& content) {
  if (content.empty()) return {};
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", cell(summary, sentence_columns), content);
}

std::string column_head(std::string_view text, bool is_number) {
  return fmt::format("<th scope=\"col\"{}>{}</th>", is_number ? " class=\"n\"" : "", cell(text));
}

}  // namespace regatta::report
