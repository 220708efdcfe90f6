#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string_view>
#include <vector>

#include "regatta/analysis/labels.hpp"
#include "regatta/analysis/values.hpp"
#include "regatta/report/report.hpp"
#include "regatta/report/wording.hpp"
#include "report/findings/findings.hpp"

namespace regatta::report {
namespace {

using analysis::Contrast;
using stats::Verdict;

/// The quantity that is compared: "time", "peak memory", "time to 1000 steps".
std::string noun_of(const Contrast& contrast) {
  if (contrast.metric == sweep::Metric::time_to_n) return fmt::format("time to {} steps", contrast.steps_from_start);
  return contrast.result.empty() ? std::string(sweep::info(contrast.metric).noun) : contrast.result;
}

/// "numpy is 38.3x slower [37.1, 39.0] than native graph at batch 1"; without a verdict "numpy against native graph at
/// batch 1: not known yet [1.003x slower, 1.40x slower]".
std::string finding(const Contrast& contrast, const std::string& a, const std::string& b, const std::string& where) {
  const std::string at = where.empty() ? "" : " at " + where;
  analysis::JudgedRatio judged = judged_ratio(contrast);
  judged.early = false;  // said behind all of the finding
  const std::string per = in_measure(contrast);
  switch (contrast.verdict) {
    case Verdict::same:
      if (contrast.difference) return fmt::format("{} and {}{}{}: {}", a, b, per, at, ratio_text(judged));
      return fmt::format("{} and {}{}{}: {}, margin {:.2g} %", a, b, per, at, ratio_text(judged),
                         100 * contrast.margin);
    case Verdict::faster:
    case Verdict::slower:
      return fmt::format("{} is {}", a, ratio_text(judged, fmt::format("{} than {}{}", per, b, at)));
    case Verdict::undecided:
      break;
  }
  return fmt::format("{} against {}{}{}: {}", a, b, per, at, ratio_text(judged));
}

/// The ratio without stalls, where that contradicts it.
std::string without_stalls(const Contrast& contrast) {
  if (!contrast.without_stalls) return "";
  const Contrast::WithoutStalls& other = *contrast.without_stalls;
  return fmt::format("; stalls decide it: {} with them, {} {} without", directed_text(contrast.ratio, contrast.metric),
                     directed_text(other.ratio, contrast.metric),
                     directed_interval(other.ratio, other.low, other.high, contrast.metric));
}

/// The ratio without disturbed slices, where that gives another verdict.
std::string without_disturbed(const Contrast& contrast) {
  if (!hangs_on_disturbed(contrast)) return "";
  const auto& clean = *contrast.undisturbed;
  const std::string interval = directed_interval(clean.ratio, clean.low, clean.high, contrast.metric);
  return fmt::format("; without the disturbed slices {}{}", directed_text(clean.ratio, contrast.metric),
                     interval.empty() ? "" : " " + interval);
}

/// "; 4.60x faster to 9.00x faster over calls of 22 to 71 steps", where that is wider.
std::string over_call_lengths(const Contrast& contrast) {
  if (!contrast.over_calls) return "";
  const Contrast::OverCalls& calls = *contrast.over_calls;
  return fmt::format("; {} to {} over calls of {} to {} steps", directed_text(calls.low, contrast.metric),
                     directed_text(calls.high, contrast.metric), calls.shortest_steps, calls.longest_steps);
}

/// A reason to read the ratio as one of the time measured: the arm has no lasting speed (R7).
std::string over_time_measured(const Contrast& contrast) {
  if (contrast.flags.has(stats::Flag::slow_down)) return " over the time measured, in which steps grew slower";
  if (contrast.flags.has(stats::Flag::no_steady_state))
    return " over the time measured, in which its speed did not settle";
  return "";
}

/// ": better", where the sweep says which way is the better one.
std::string for_the_goal(const Contrast& contrast, const std::optional<sweep::ComparedResult>& compared) {
  const bool is_lower = contrast.verdict == Verdict::faster;
  if (!compared || (!is_lower && contrast.verdict != Verdict::slower)) return "";
  return is_lower == (compared->better == sweep::Better::lower) ? ": better" : ": worse";
}

/// ", over 10 seeds".
std::string over_replicates(const Contrast& contrast) {
  return has_replicates(contrast) ? ", over " + replicates_text(contrast) : "";
}

/// Memory that grows with the steps makes the ratio one of their number.
std::string after_steps(const Contrast& contrast, const results::Results& results) {
  if (contrast.metric != sweep::Metric::peak_memory) return "";
  const std::string column(sweep::info(sweep::Fact::memory_steps).column);
  const auto a = analysis::metric(results.trials[contrast.a.value], column);
  const auto b = analysis::metric(results.trials[contrast.b.value], column);
  if (!a || !b) return "";
  return *a == *b ? fmt::format(" (after {:.0f} steps)", *a) : fmt::format(" (after {:.0f} and {:.0f} steps)", *a, *b);
}

}  // namespace

std::string contrast_sentence(const results::Results& results, const analysis::Contrasts& contrasts,
                              const Contrast& contrast) {
  const analysis::Axes& axes = contrasts.axes;
  const auto& a = results.trials[contrast.a.value].parameters;
  const auto& b = results.trials[contrast.b.value].parameters;
  return finding(contrast, arm_label(a, axes), arm_label(b, axes), analysis::label(b, axes.stratum)) +
         over_replicates(contrast) + after_steps(contrast, results) + over_time_measured(contrast) +
         (is_early(contrast) ? ", early" : "") + over_call_lengths(contrast) + without_stalls(contrast) +
         without_disturbed(contrast) + for_the_goal(contrast, contrasts.result);
}

std::vector<std::string> contrast_sentences(const results::Results& results, const analysis::Contrasts& contrasts) {
  std::vector<std::string> sentences;
  for (const Contrast& contrast : contrasts.contrasts)
    sentences.push_back(contrast_sentence(results, contrasts, contrast));
  return sentences;
}

std::string in_measure(const Contrast& contrast) {
  if (contrast.metric == sweep::Metric::time_per_step) return "";
  return contrast.metric == sweep::Metric::time_per_sample ? " per sample" : " in " + noun_of(contrast);
}

std::string evidence_text(const Contrast& contrast) {
  std::string text = fmt::format("{} x {}", contrast.processes / 2, contrast.fewest_squares);
  if (contrast.most_squares > contrast.fewest_squares) text += fmt::format(" to {}", contrast.most_squares);
  return text;
}

std::string replicates_text(const Contrast& contrast) {
  if (!has_replicates(contrast)) return "";
  std::vector<std::string_view> names;
  for (const sweep::Param& param : contrast.replicate_axes) names.push_back(sweep::name_of(param));
  const std::size_t count = contrast.replicates.size();
  const bool has_plural = names.size() == 1 && !names.front().ends_with('s');
  return has_plural ? fmt::format("{} {}s", count, names.front())
                    : fmt::format("{} replicates ({})", count, fmt::join(names, ", "));
}

std::string margin_text(const Contrast& contrast) {
  if (contrast.difference) return fmt::format("{:.3g}", contrast.difference->margin);
  return fmt::format("{:.3g} %", 100 * contrast.margin);
}

}  // namespace regatta::report
