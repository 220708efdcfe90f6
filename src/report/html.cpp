#include <fmt/format.h>

#include <algorithm>

#include "regatta/report/report.hpp"
#include "report/figures.hpp"
#include "report/html_style.hpp"
#include "report/html_tables.hpp"
#include "report/summary.hpp"
#include "report/text.hpp"
#include "report/view.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t line_columns = 400;
constexpr std::size_t most_lines = 12;
constexpr std::size_t sweep_bytes = 60'000;

std::string line(std::string_view text) { return escape(clip(clean(text), line_columns)); }

std::string head(const results::Results& results) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{} - Regatta</title>\n<style>{}</style>\n</head>\n",
      line(results.name), style_sheet);
}

std::string opening(const View& view) {
  std::string html = "<h1>" + line(view.results.name) + "</h1>\n";
  for (const auto& sentence : headline(view)) html += "<p class=\"headline\">" + line(sentence) + ".</p>\n";
  for (const auto& finding : findings(view)) html += "<p class=\"finding\">" + line(finding) + ".</p>\n";
  return html + "<p class=\"counts\">" + escape(counts_line(view.results)) + "</p>\n";
}

void add_entry(std::string& html, std::string_view term, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  html += fmt::format("<dt>{}</dt><dd>", term);
  for (std::size_t i = 0; i < std::min(lines.size(), most_lines); ++i) html += (i > 0 ? "<br>" : "") + line(lines[i]);
  if (lines.size() > most_lines) html += fmt::format("<br>and {} more", lines.size() - most_lines);
  html += "</dd>\n";
}

std::string machine_strip(const View& view) {
  const results::Results& results = view.results;
  const auto& from = results.provenance;
  std::vector<std::string> versions;
  for (const auto& [name, version] : from.versions) versions.push_back(name + " " + version);
  std::string joined;
  for (const auto& version : versions) joined += (joined.empty() ? "" : ", ") + version;
  std::string html = "<dl>\n";
  add_entry(html, "machine", machines(results));
  add_entry(html, "trust", trust(view.contrasts));
  add_entry(html, "engines", engines(results));
  if (!joined.empty()) add_entry(html, "built with", {joined});
  if (!from.regatta_version.empty()) add_entry(html, "regatta", {from.regatta_version});
  if (!from.git_commit.empty()) add_entry(html, "your commit", {from.git_commit});
  if (!from.created.empty()) add_entry(html, "measured", {from.created});
  if (!from.command_line.empty()) add_entry(html, "command", {from.command_line});
  return html + "</dl>\n";
}

std::string section(std::string_view title, const std::string& content) {
  return content.empty() ? std::string() : fmt::format("<h2>{}</h2>\n{}", title, content);
}

constexpr std::string_view method = R"(<ul>
<li>Arms that are compared take turns on the same cores in slices of about 25 ms, in an order that balances who goes first
and who follows whom; it is drawn from a seed.</li>
<li>Each slice begins with steps that are run but not scored, so that caches and threads are awake.</li>
<li>A slice counts as elapsed time divided by work done, stalls included. No slice is dropped.</li>
<li>A ratio is the median over balanced squares of slices, each in processes of its own where they start quickly. Its
interval is a confidence sequence: it holds with 95 % whenever measuring stopped, and begins at seven squares.</li>
<li>faster and slower: the whole interval lies beyond the margin, or beyond the floor (what identical code differs by
here) if that is larger; same: it lies inside; undecided: neither yet.</li>
<li>Step times in the table are medians of samples; a sample is one step, or as many as fill 20 us.</li>
</ul>
<h3>What this does not say</h3>
<ul>
<li>An interval tells how much starts of the processes on this machine and this day differ. Another day or another machine
can differ by more.</li>
<li>"Same work: unchecked" means that losses and gradients of the arms were not compared.</li>
</ul>
)";

std::string sweep_section(const results::Provenance& from) {
  if (from.sweep_json.empty()) return {};
  std::string_view text = from.sweep_json;
  const bool cut = text.size() > sweep_bytes;
  std::string name = from.sweep_file.empty() ? "sweep.json" : from.sweep_file;
  return fmt::format("<details><summary>{}</summary>\n<pre>{}</pre>{}</details>\n", line(name),
                     escape(text.substr(0, sweep_bytes), Lines::kept),
                     cut ? "<p class=\"note\">Cut here; the result file holds all of it.</p>" : "");
}

}  // namespace

std::string html(const results::Results& results, const analysis::Contrasts& contrasts) {
  const View view = view_of(results, contrasts);
  std::string page = head(results) + "<body>\n" + opening(view) + machine_strip(view);
  page += section("How much longer than the baseline", forest_figure(view));
  page += section("Why: a step with one thing changed", ladder_figure(view));
  page += section("How time grows", line_figure(view));
  page += section("Failed, skipped, or without a ratio", not_measured_list(view));
  page += section("All trials", trials_table(view) + contrasts_table(view));
  page += section("How it was measured", std::string(method));
  page += section("The sweep", sweep_section(results.provenance));
  return page + "</body>\n</html>\n";
}

}  // namespace regatta::report
