#include "run/fail_on.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "regatta/analysis/contrasts.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/units.hpp"
#include "regatta/report/report.hpp"

namespace regatta::launcher {
namespace {

/// The interval lies beyond the limit as a whole.
bool is_beyond(const analysis::Contrast& contrast, double limit) {
  const double low = contrast.over_calls ? contrast.over_calls->low : contrast.low.value_or(0);
  return contrast.verdict == stats::Verdict::slower && low > 1 + limit;
}

/// The interval ends below the limit.
bool is_below(const analysis::Contrast& contrast, double limit) {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  const double high = contrast.over_calls ? contrast.over_calls->high : contrast.high.value_or(unknown);
  return high <= 1 + limit;
}

/// Arms that broke, or do other work than their baseline: nothing bounds what they take. Skipped ones are as planned.
std::size_t without_ratio(const results::Results& results, const analysis::Contrasts& contrasts) {
  return static_cast<std::size_t>(std::ranges::count_if(contrasts.missing, [&](const analysis::NoContrast& missing) {
    return !std::holds_alternative<sweep::Skipped>(results.trials[missing.trial.value].outcome);
  }));
}

/// Warns that the gate has nothing to judge: no "compare", or all trials were skipped. Returns whether the gate fails.
bool compares_nothing(const results::Results& results, const FailOn& fail_on) {
  log::warn(fmt::format("--fail-on judged nothing: {} compares no two trials{}", results.name,
                        fail_on.undecided ? "" : "; --fail-on with ,undecided fails then, too"));
  return fail_on.undecided;
}

}  // namespace

bool is_broken(const Outputs& outputs, const FailOn& fail_on) {
  const double percent = 100 * fail_on.slower;
  std::size_t slower = 0;
  std::size_t unknown = 0;
  const std::vector<std::string> contradicted = report::contradictions(outputs.results, outputs.findings);
  const std::vector<std::string> sentences = report::contrast_sentences(outputs.results, outputs.findings.contrasts);
  for (std::size_t at = 0; at < contradicted.size(); ++at) {
    const analysis::Contrast& contrast = outputs.findings.contrasts.contrasts[at];
    if (is_beyond(contrast, fail_on.slower) && !contradicted[at].empty()) {
      log::warn(fmt::format("not judged: {} ({})", sentences[at], contradicted[at]));
      ++unknown;
    } else if (is_beyond(contrast, fail_on.slower) && !contrast.confirmed && !fail_on.early) {
      log::warn(
          fmt::format("not judged, as the verdict is not confirmed by seven pairs of processes (\",early\" counts "
                      "it): {}",
                      sentences[at]));
      ++unknown;
    } else if (is_beyond(contrast, fail_on.slower)) {
      log::error(fmt::format("slower by more than {:g} % (95 %): {}", percent, sentences[at]));
      ++slower;
    } else if (!is_below(contrast, fail_on.slower)) {
      ++unknown;
    }
  }
  const std::size_t bare = without_ratio(outputs.results, outputs.findings.contrasts);
  if (outputs.findings.contrasts.contrasts.empty() && bare == 0) return compares_nothing(outputs.results, fail_on);
  if (unknown + bare > 0) {
    const std::string why = bare > 0 ? fmt::format(" ({} without a ratio)", bare) : "";
    const std::string offer = fmt::format("; --fail-on slower:{:g}%,undecided fails on them, too", percent);
    log::warn(fmt::format("{} undecided{}: not known to be under {:g} %{}", unknown + bare, why, percent,
                          fail_on.undecided ? "" : offer));
  }
  return slower > 0 || (fail_on.undecided && unknown + bare > 0);
}

FailOn parse_fail_on(const std::string& text) {
  constexpr std::string_view prefix = "slower:";
  FailOn fail_on;
  std::string_view rest = text;
  const auto takes = [&](std::string_view word) {
    const bool is_last = rest.ends_with(word);
    if (is_last) rest.remove_suffix(word.size());
    return is_last;
  };
  for (bool is_any = true; is_any;) {
    const bool is_undecided = takes(",undecided"), is_early = takes(",early");
    fail_on.undecided |= is_undecided;
    fail_on.early |= is_early;
    is_any = is_undecided || is_early;
  }
  const auto limit = rest.starts_with(prefix) ? parse_percent(rest.substr(prefix.size())) : std::nullopt;
  if (!limit)
    throw InputError(fmt::format(
        "--fail-on: found '{}', expected slower:PERCENT, with ,early or ,undecided or both after it, such as slower:3%",
        text));
  fail_on.slower = *limit;
  return fail_on;
}

}  // namespace regatta::launcher
