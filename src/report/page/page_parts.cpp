#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "regatta/report/orchestration.hpp"
#include "report/findings/findings.hpp"
#include "report/findings/summary.hpp"
#include "report/html_text.hpp"
#include "report/page/page.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t most_lines = 12;
constexpr std::size_t most_inputs = 200;
constexpr std::size_t most_seeds = 8;

void add_entry(std::string& html, std::string_view term, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  html += fmt::format("<dt>{}</dt><dd>", term);
  for (std::size_t i = 0; i < std::min(lines.size(), most_lines); ++i)
    html += (i > 0 ? "<br>" : "") + cell(lines[i], sentence_columns);
  if (lines.size() > most_lines) html += fmt::format("<br>and {} more", lines.size() - most_lines);
  html += "</dd>\n";
}

void add_entry(std::string& html, std::string_view term, const std::string& line) {
  if (!line.empty()) add_entry(html, term, std::vector<std::string>{line});
}

/// "GPU-7f2c...: 51.2 TFLOP/s in fp32, 380 in tf32, 760 in bf16, launches 2.10 us each"; unknown rates are left out.
std::string device_peaks(const results::DeviceRates& rates) {
  std::vector<std::string> parts;
  const auto add = [&](double value, const char* form, double unit) {
    if (std::isfinite(value)) parts.push_back(fmt::format(fmt::runtime(form), value * unit));
  };
  add(rates.fp32_flops_per_second, "{:.3g} TFLOP/s in fp32", 1e-12);
  add(rates.tf32_flops_per_second, "{:.3g} in tf32", 1e-12);
  add(rates.bf16_flops_per_second, "{:.3g} in bf16", 1e-12);
  add(rates.memory_bytes_per_second, "memory {:.3g} TB/s", 1e-12);
  add(rates.upload_bytes_per_second, "uploads {:.3g} GB/s", 1e-9);
  add(rates.download_bytes_per_second, "downloads {:.3g} GB/s", 1e-9);
  add(rates.launch_seconds, "{:.3g} us a launch", 1e6);
  add(rates.node_seconds, "{:.3g} us a graph node", 1e6);
  return fmt::format("{}: {}", rates.uuid, fmt::join(parts, ", "));
}

/// "core 105 GFLOP/s (avx512), memory 11 GB/s", each distinct slot once.
std::vector<std::string> peaks(const results::Results& results) {
  std::vector<std::string> lines;
  for (const auto& device : results.devices) {
    const auto& peak = device.calibration;
    if (peak.threads == 0) continue;
    std::string line = device.name + ": ";
    if (std::isfinite(peak.core_peak_flops_per_second))
      line += fmt::format("{:.3g} GFLOP/s a core{}, ", peak.core_peak_flops_per_second * 1e-9,
                          peak.isa.empty() ? "" : " (" + peak.isa + ")");
    if (std::isfinite(peak.memory_bytes_per_second))
      line += fmt::format("reads {:.3g} GB/s, ", peak.memory_bytes_per_second * 1e-9);
    if (std::isfinite(peak.copy_bytes_per_second))
      line += fmt::format("copies {:.3g} GB/s, ", peak.copy_bytes_per_second * 1e-9);
    lines.push_back(line.substr(0, line.size() - 2));
    if (!device.calibration.device.uuid.empty()) lines.push_back(device_peaks(device.calibration.device));
  }
  return lines;
}

/// The load that may have run beside the measured cores.
std::string neighbours(const results::Results& results) {
  std::set<std::string> flags;
  for (const auto& device : results.devices) {
    if (device.flags.any()) flags.insert(stats::text_of(device.flags));
  }
  for (const auto& block : results.blocks) {
    if (block.flags.any()) flags.insert(stats::text_of(block.flags));
  }
  if (flags.empty()) return "no other trial of this run";
  std::string text;
  for (const auto& flag : flags) text += (text.empty() ? "" : "; ") + flag;
  return text;
}

std::string seeds(const results::Results& results) {
  std::set<std::string> found;
  for (const auto& trial : results.trials) {
    const auto& seed = trial.parameters[sweep::Param::seed];
    if (!std::holds_alternative<std::monostate>(seed) && found.size() <= most_seeds) found.insert(sweep::to_text(seed));
  }
  std::string text;
  for (const auto& seed : found) text += (text.empty() ? "" : ", ") + seed;
  return text;
}

std::string versions(const results::Results& results) {
  std::string text;
  for (const auto& [name, version] : results.provenance.versions)
    text += (text.empty() ? "" : ", ") + name + " " + version;
  return text;
}

constexpr std::string_view method_text = R"(<ol>
<li>Compared arms take turns on the same cores in short slices. Their order is drawn from a seed and balanced.</li>
<li>Each slice begins with steps that are not scored. They wake caches and threads.</li>
<li>A slice counts as elapsed time divided by work done, stalls included. No slice is dropped; disturbed ones are flagged.</li>
<li>A pilot before the slices finds their length and when an arm has reached its speed. It does not count.</li>
<li>A ratio is the median over pairs of fresh processes. Each pair serves balanced squares of slices.</li>
<li>Its interval holds with 95 % whenever measuring stopped. From two pairs on it may give a verdict.</li>
<li>Early: the interval rests on how pairs of such processes scattered before. From seven pairs on it needs no such
assumption: the verdict is confirmed.</li>
<li>Faster and slower: the whole interval lies beyond the margin. Same: it lies inside. Not known yet: neither, or it may be
chance among so many comparisons.</li>
<li>Before arms are compared, their losses or outputs on the same inputs are. An arm that does other work gets no ratio.</li>
</ol>
<h3>Limits of these figures</h3>
<ul>
<li>An interval tells how much processes and slices of this machine and this day differ. Another day, another machine or
another version can differ by more.</li>
<li>A step time says nothing about how well a model learns, nor about loading data that was not part of the step.</li>
<li>Where a cell was not shown to do the same work, its ratio compares times of possibly different work.</li>
<li>A cause was changed and measured. Other causes, which nobody changed, may exist.</li>
</ul>
)";

constexpr std::string_view words_text = R"(<dl>
<dt>setting</dt><dd>the model, batch and so on that all compared arms share</dd>
<dt>arm</dt><dd>one side of a comparison: an engine and its mode, or a program</dd>
<dt>cell</dt><dd>one arm at one setting</dd>
<dt>slice</dt><dd>one uninterrupted run of an arm, before another one has its turn</dd>
<dt>square</dt><dd>one round of all arms and the same in reverse order: one figure of a ratio</dd>
<dt>margin</dt><dd>the smallest difference that matters to you; smaller ones are "same"</dd>
<dt>resolution</dt><dd>the smallest difference that a comparison could have told apart</dd>
<dt>early</dt><dd>a likely verdict: it needs seven pairs of processes to be confirmed</dd>
<dt>not known yet</dt><dd>the time was up before the interval was narrow enough for faster, slower or same</dd>
<dt>canary</dt><dd>a fixed piece of work after each slice; it shows a slow processor</dd>
<dt>preempted</dt><dd>another process had the core for a part of the slice</dd>
<dt>open</dt><dd>not run yet; the same command runs it</dd>
</dl>
)";

}  // namespace

std::string checks_list(const View& view) {
  const auto checks = checks_of(view);
  if (checks.empty()) return {};
  std::string html = "<ul>\n";
  for (const std::string& check : checks) html += "<li>" + cell(check, check_columns) + "</li>\n";
  for (const std::string& remark : remarks_of(view)) html += "<li>" + cell(remark, sentence_columns) + "</li>\n";
  return html + "</ul>\n";
}

std::string input_notes(const View& view) {
  const std::vector<std::string> lines = input_lines(view);
  const std::size_t shown = std::min(lines.size(), most_inputs);
  std::string html;
  for (std::size_t i = 0; i < shown; ++i) html += note(lines[i] + ".");
  return html + more(shown, lines.size(), "cells");
}

std::string machine_strip(const View& view) {
  const results::Results& results = view.results;
  const auto& from = results.provenance;
  std::string html = "<dl>\n";
  add_entry(html, "machine", machines(results));
  add_entry(html, "calibrated peak", peaks(results));
  add_entry(html, "beside it", neighbours(results));
  add_entry(html, "engines", engines(results));
  add_entry(html, "regatta", from.regatta_version);
  add_entry(html, "built with", versions(results));
  add_entry(html, "your commit", from.git_commit);
  add_entry(html, "measured", from.created);
  add_entry(html, "seed", seeds(results));
  add_entry(html, "orchestration", orchestration_text(results.sessions));
  html += "</dl>\n";
  if (from.command_line.empty()) return html;
  return html + "<p class=\"note\">The command that does it again:</p>\n<pre tabindex=\"0\"><code>" +
         cell(from.command_line, sentence_columns) + "</code></pre>\n";
}

std::string words_in_place() { return std::string(words_text); }

std::string method() { return std::string(method_text); }

}  // namespace regatta::report
