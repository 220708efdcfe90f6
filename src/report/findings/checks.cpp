#include "report/findings/checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "regatta/analysis/disturbances.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/report/report.hpp"
#include "regatta/stats/rules.hpp"
#include "report/findings/summary.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t most_arms = 5;  // named

/// Differences below it are doubted where identical code was not shown to be the same (R5).
struct Doubt {
  double below = 0;  ///< three times what counts as none
  std::string origin;
  std::map<std::string, double> of_engines;  ///< whose identical code may be further apart, by its interval
};

/// Whatever its environment, as for floors.
std::string engine_of(const View& view, TrialIndex trial) {
  return std::string(sweep::engine_of(view.results.trials[trial.value].parameters));
}

/// Nothing where identical code has no interval.
std::optional<Doubt> doubt_of(const View& view) {
  const double floor = view.contrasts.identical.floor;
  const double margin = margin_of(view);
  Doubt doubt{stats::rules::doubted_deltas * std::max(floor, margin),
              fmt::format("{:g} times the {} of {:.3g} %", stats::rules::doubted_deltas,
                          floor > margin ? "floor" : "margin", 100 * std::max(floor, margin)),
              {}};
  for (const analysis::CloneCheck& clone : view.contrasts.clones) {
    if (clone.verdict != stats::Verdict::undecided) continue;
    if (!clone.low || !clone.high) return std::nullopt;
    const double reach = std::max(*clone.high - 1, 1 / *clone.low - 1);
    if (reach <= doubt.below) continue;
    double& farthest = doubt.of_engines[engine_of(view, clone.trial)];
    farthest = std::max(farthest, reach);
  }
  return doubt;
}

/// A contrast is as doubtful as the worse of its engines.
double doubted_below(const View& view, const Doubt& doubt, const analysis::Contrast& contrast) {
  double below = doubt.below;
  for (const TrialIndex trial : {contrast.a, contrast.b}) {
    const auto found = doubt.of_engines.find(engine_of(view, trial));
    if (found != doubt.of_engines.end()) below = std::max(below, found->second);
  }
  return below;
}

bool is_smaller(const View& view, const Doubt& doubt, const analysis::Contrast& contrast) {
  return std::abs(std::log(contrast.ratio)) < std::log1p(doubted_below(view, doubt, contrast));
}

/// Verdicts that a reader has to doubt.
std::string doubted_verdicts(const View& view, const Doubt& doubt) {
  std::vector<TrialIndex> trials;
  bool is_any_told = false;
  for (const analysis::Contrast& contrast : view.contrasts.contrasts) {
    const bool is_told = contrast.verdict == stats::Verdict::faster || contrast.verdict == stats::Verdict::slower;
    is_any_told = is_any_told || is_told;
    if (is_told && is_smaller(view, doubt, contrast)) trials.push_back(contrast.a);
  }
  if (!is_any_told) return "no difference was told here";
  if (trials.empty()) return "all verdicts here are larger";
  return fmt::format("{} {} smaller", names_of(view, trials, names_shown), trials.size() == 1 ? "is" : "are");
}

std::string doubted_text(const View& view) {
  const auto doubt = doubt_of(view);
  if (!doubt) return "it is not known how small a difference can be believed here";
  std::string text = fmt::format(
      "the same code timed against itself was not shown to be the same, so believe no difference below {:.2g} % ({})",
      100 * doubt->below, doubt->origin);
  for (const auto& [engine, below] : doubt->of_engines)
    text += fmt::format(", nor one with {} below {:.2g} % (as far as its interval reaches)", engine, 100 * below);
  return text + ": " + doubted_verdicts(view, *doubt);
}

bool is_identical_shown(const analysis::IdenticalCode& twice) { return twice.wrong == 0 && twice.same > 0; }

Check identical_code(const View& view) {
  const analysis::IdenticalCode& twice = view.contrasts.identical;
  if (twice.total() == 0)
    return {false, "identical code was not measured twice: how far apart it is here is not known",
            "identical code was not measured twice, so that it is not known how small a difference can be believed"};
  const std::string text = fmt::format(
      "the same code timed against itself: {} shown to be the same, {} undecided, {} called "
      "different",
      twice.same, twice.undecided, twice.wrong);
  return {is_identical_shown(twice), text, doubted_text(view)};
}

Check floor_check(const View& view) {
  const double floor = view.contrasts.identical.floor;
  const double margin = margin_of(view);
  if (floor == 0 && !is_identical_shown(view.contrasts.identical))
    return {false, fmt::format("floor not known, margin {:g} % (what counts as none)", 100 * margin), ""};
  if (floor == 0) return {true, fmt::format("no floor above the scatter of clones, margin {:g} %", 100 * margin), ""};
  std::string text =
      fmt::format("floor {:.3g} % (how far identical code differed), margin {:g} % (what counts as none)", 100 * floor,
                  100 * margin);
  if (floor > margin) text += ": smaller differences than the floor get no verdict here";
  std::string consequence = fmt::format("differences below {:.3g} % get no verdict here", 100 * floor);
  if (!is_identical_shown(view.contrasts.identical)) consequence.clear();
  return {floor <= stats::rules::noisy_margins * margin, std::move(text), std::move(consequence)};
}

/// Counts trials that stand in a ratio, or lost theirs because they did other work. Those of another batch than all
/// beside them are told only.
Check same_work(const View& view) {
  std::string rounded;
  std::size_t yes = 0;
  std::size_t no = 0;
  std::size_t all = 0;
  std::size_t alone = 0;
  for (std::size_t i = 0; i < view.results.trials.size(); ++i) {
    const auto& trial = view.results.trials[i];
    const bool failed = trial.verified == sweep::Verified::no;
    if (view.ratio[i] == nullptr && !view.is_baseline[i] && !failed) continue;
    if (!failed && view.ratio[i] != nullptr && analysis::has_flag(*view.ratio[i], analysis::different_arithmetic)) {
      const std::string name = analysis::arm_label(trial.parameters, view.axes);
      const std::string detail = sweep::text_of(trial.facts, sweep::Fact::verified_detail);
      rounded += fmt::format("; {}: {}", name, detail.empty() ? analysis::different_arithmetic : detail);
      continue;
    }
    if (sweep::text_of(trial.facts, sweep::Fact::verified_detail) == sweep::nothing_to_check_against) {
      ++alone;
      continue;
    }
    ++all;
    yes += trial.verified == sweep::Verified::yes ? 1 : 0;
    no += failed ? 1 : 0;
  }
  std::string text = fmt::format("{} of {} cells were shown to do the same work", yes, all);
  if (no > 0) text += fmt::format(", {} do not", no);
  if (alone > 0)
    text += fmt::format("; {} ha{} a batch, model, data or work that no other trial has beside {}: not checked", alone,
                        alone == 1 ? "s" : "ve", alone == 1 ? "it" : "them");
  return {yes == all, text + rounded, fmt::format("{} of {} cells were not shown to do the same work", all - yes, all)};
}

/// "jax graph 68 of 92, numpy 3 of 92 and 2 more arms": the most disturbed arms first.
std::string by_arm(const View& view, const analysis::Disturbances& seen) {
  std::map<std::string, analysis::Disturbances::OfTrial> arms;
  for (std::size_t i = 0; i < seen.by_trial.size(); ++i) {
    auto& arm = arms[analysis::arm_label(view.results.trials[i].parameters, view.axes)];
    arm.slices += seen.by_trial[i].slices;
    arm.disturbed += seen.by_trial[i].disturbed;
  }
  std::erase_if(arms, [](const auto& arm) { return arm.second.disturbed == 0; });
  std::vector<std::pair<std::string, analysis::Disturbances::OfTrial>> order(arms.begin(), arms.end());
  std::ranges::stable_sort(order, std::ranges::greater(), [](const auto& arm) {
    return static_cast<double>(arm.second.disturbed) / static_cast<double>(arm.second.slices);
  });
  std::vector<std::string> parts;
  for (const auto& [name, arm] : order) {
    if (parts.size() < most_arms) parts.push_back(fmt::format("{} {} of {}", name, arm.disturbed, arm.slices));
  }
  const std::size_t left = order.size() - parts.size();
  return fmt::format("{}{}", fmt::join(parts, ", "),
                     left > 0 ? fmt::format(" and {} more arm{}", left, left == 1 ? "" : "s") : "");
}

std::string by_kind(const analysis::Disturbances& seen) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : seen.by_kind) parts.push_back(fmt::format("{} {}", count, name));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Which ratios leave what their intervals say they may be.
std::string how_far_text(const View& view) {
  std::vector<TrialIndex> leaving;
  for (const analysis::Contrast& contrast : view.contrasts.contrasts) {
    if (!analysis::hangs_on_disturbed(contrast)) continue;
    const double ratio = contrast.undisturbed->ratio;
    if (!contrast.low || !contrast.high || ratio < *contrast.low || ratio > *contrast.high)
      leaving.push_back(contrast.a);
  }
  if (leaving.empty()) return "none out of its interval";
  return fmt::format("out of {} interval{}: {}", leaving.size() == 1 ? "its" : "their", leaving.size() == 1 ? "" : "s",
                     names_of(view, leaving, names_shown));
}

/// Empty where heat or power supply slowed no device.
std::string slowed_devices(const results::Results& results) {
  const auto slowed = std::ranges::count_if(results.blocks, [](const results::BlockRow& block) {
    return block.flags.find("device throttled") != std::string::npos;
  });
  return slowed == 0 ? "" : fmt::format("{} of {} blocks on a throttled device; ", slowed, results.blocks.size());
}

Check disturbances(const View& view) {
  const auto seen = analysis::disturbances_of(view.results);
  const auto throttled = seen.of("throttled");
  const std::string slowed = slowed_devices(view.results);
  std::string text = slowed + (throttled == 0 ? "" : fmt::format("{} slices throttled; ", throttled));
  std::string count = fmt::format("{} of {} slices disturbed", seen.disturbed, seen.slices);
  text += count;
  if (seen.disturbed > 0) text += fmt::format(" (kept, flagged: {}; {})", by_kind(seen), by_arm(view, seen));
  const auto hang = std::ranges::count_if(view.contrasts.contrasts, analysis::hangs_on_disturbed);
  if (hang > 0) {
    const std::string other = fmt::format("leaving them out moves {} of {} ratios, {}", hang,
                                          view.contrasts.contrasts.size(), how_far_text(view));
    text += "; " + other;
    count += ", " + other;
  }
  if (throttled == 0) text += slowed.empty() ? ", none throttled" : ", no slice throttled";
  return {throttled == 0 && slowed.empty() && 2 * seen.disturbed <= seen.slices && hang == 0, std::move(text),
          std::move(count)};
}

/// Said only where it told: the order of slices is balanced, so that this is an error of the measurement (R9).
void add_order(std::vector<Check>& checks, const View& view) {
  std::vector<TrialIndex> trials;
  for (const auto& contrast : view.contrasts.contrasts) {
    if (analysis::has_flag(contrast, "position")) trials.push_back(contrast.a);
  }
  if (trials.empty()) return;
  std::string text = fmt::format("the place of a slice in its round changes times (position) in {} of {} comparisons",
                                 trials.size(), view.contrasts.contrasts.size());
  checks.push_back({false, fmt::format("{}: {}", text, names_of(view, trials, names_shown)), text});
}

}  // namespace

std::vector<Check> checks_of(const View& view) {
  if (view.contrasts.contrasts.empty()) return {};
  std::vector<Check> checks = {identical_code(view), floor_check(view), same_work(view), disturbances(view)};
  add_order(checks, view);
  return checks;
}

std::vector<std::string> not_to_be_believed(const std::vector<Check>& checks) {
  std::vector<std::string> consequences;
  for (const Check& check : checks) {
    if (!check.passed && !check.consequence.empty()) consequences.push_back(check.consequence);
  }
  return consequences;
}

std::string not_passed_sentence(const std::vector<Check>& checks) {
  const auto consequences = not_to_be_believed(checks);
  return consequences.empty() ? "" : fmt::format("Checks not passed: {}", fmt::join(consequences, "; "));
}

std::vector<bool> doubted(const results::Results& results, const analysis::Findings& findings) {
  const View view = view_of(results, findings);
  const bool is_any = view.contrasts.identical.total() > 0 && !is_identical_shown(view.contrasts.identical);
  const std::optional<Doubt> doubt = is_any ? doubt_of(view) : std::nullopt;
  std::vector<bool> told;
  for (const analysis::Contrast& contrast : view.contrasts.contrasts)
    told.push_back(doubt && is_smaller(view, *doubt, contrast));
  return told;
}

}  // namespace regatta::report
