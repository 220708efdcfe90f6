#include "report/findings/contradictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "regatta/analysis/disturbances.hpp"
#include "regatta/report/report.hpp"
#include "regatta/sweep/processes.hpp"
#include "report/findings/summary.hpp"

namespace regatta::report {
namespace {

using analysis::Contrast;

constexpr double clone_share = 1.0 / 3;  // part of a difference that identical code may differ by
constexpr double throttled_share = 0.1;  // part of all slices by which two arms may differ
constexpr double position_share = 0.5;   // part of a difference

bool is_difference(const Contrast& contrast) {
  return contrast.verdict == stats::Verdict::faster || contrast.verdict == stats::Verdict::slower;
}

std::string class_of(const View& view, TrialIndex trial) {
  return sweep::process_class(view.results.trials[trial.value].parameters);
}

/// The clone of one of its arms that was told apart by the most.
const analysis::CloneCheck* clone_against(const View& view, const Contrast& contrast) {
  const analysis::CloneCheck* worst = nullptr;
  for (const analysis::CloneCheck& clone : view.contrasts.clones) {
    const std::string of_clone = class_of(view, clone.trial);
    if (of_clone != class_of(view, contrast.a) && of_clone != class_of(view, contrast.b)) continue;
    const bool is_told_apart = clone.verdict == stats::Verdict::faster || clone.verdict == stats::Verdict::slower;
    const bool is_large = std::abs(std::log(clone.ratio)) > clone_share * std::abs(std::log(contrast.ratio));
    if (!is_told_apart || !is_large) continue;
    if (worst == nullptr || std::abs(std::log(clone.ratio)) > std::abs(std::log(worst->ratio))) worst = &clone;
  }
  return worst;
}

std::string percent_apart(double ratio) { return fmt::format("{:.2g} %", 100 * std::expm1(std::abs(std::log(ratio)))); }

std::optional<std::string> by_clone(const View& view, const Contrast& contrast) {
  if (!is_difference(contrast)) return std::nullopt;
  const analysis::CloneCheck* clone = clone_against(view, contrast);
  if (clone == nullptr) return std::nullopt;
  return fmt::format("the same code measured twice differed by {}, which is more than a third of this difference",
                     percent_apart(clone->ratio));
}

std::optional<std::string> by_undisturbed(const Contrast& contrast) {
  if (!analysis::hangs_on_disturbed(contrast)) return std::nullopt;
  return fmt::format("without the disturbed slices its verdict is {}",
                     analysis::verdict_word(contrast.undisturbed->verdict, contrast.metric));
}

double share_throttled(const analysis::Disturbances& seen, TrialIndex trial) {
  const auto& of_trial = seen.by_trial.at(trial.value);
  return of_trial.slices == 0 ? 0 : static_cast<double>(of_trial.throttled) / static_cast<double>(of_trial.slices);
}

std::optional<std::string> by_throttling(const View& view, const Contrast& contrast,
                                         const analysis::Disturbances& seen) {
  const double a = share_throttled(seen, contrast.a), b = share_throttled(seen, contrast.b);
  if (contrast.verdict == stats::Verdict::undecided || std::abs(a - b) < throttled_share) return std::nullopt;
  return fmt::format("{} ran throttled in {:.0f} % of its slices, {} in {:.0f} %", arm_of(view, contrast.a), 100 * a,
                     arm_of(view, contrast.b), 100 * b);
}

std::optional<std::string> by_position(const Contrast& contrast) {
  if (!is_difference(contrast) || contrast.position_effect < position_share * std::abs(std::log(contrast.ratio)))
    return std::nullopt;
  return fmt::format("the place in the round changes times by {:.2g} %, which is half of this difference or more",
                     100 * std::expm1(contrast.position_effect));
}

}  // namespace

std::string_view contradiction_name(Contradicted kind) {
  constexpr std::array<std::string_view, 4> names = {"clone", "undisturbed", "throttling", "position"};
  return names.at(static_cast<std::size_t>(kind));
}

std::vector<Contradiction> contradictions_of(const View& view) {
  const auto seen = analysis::disturbances_of(view.results);
  std::vector<Contradiction> found;
  for (const Contrast& contrast : view.contrasts.contrasts) {
    const auto add = [&](Contradicted kind, std::optional<std::string> why) {
      if (why) found.push_back({kind, &contrast, *std::move(why)});
    };
    add(Contradicted::by_clone, by_clone(view, contrast));
    add(Contradicted::by_undisturbed, by_undisturbed(contrast));
    add(Contradicted::by_throttling, by_throttling(view, contrast, seen));
    add(Contradicted::by_position, by_position(contrast));
  }
  return found;
}

std::vector<std::string> contradiction_sentences(const View& view) {
  std::vector<std::pair<std::string, std::vector<TrialIndex>>> by_reason;
  for (const Contradiction& each : contradictions_of(view)) {
    const auto known = std::ranges::find(by_reason, each.why, [](const auto& reason) { return reason.first; });
    if (known != by_reason.end())
      known->second.push_back(each.contrast->a);
    else
      by_reason.push_back({each.why, {each.contrast->a}});
  }
  std::vector<std::string> sentences;
  for (const auto& [why, trials] : by_reason)
    sentences.push_back(fmt::format("Do not believe {}: {}", names_of(view, trials, names_shown), why));
  return sentences;
}

std::vector<std::string> contradictions(const results::Results& results, const analysis::Findings& findings) {
  const View view = view_of(results, findings);
  std::vector<std::string> reasons(view.contrasts.contrasts.size());
  for (const Contradiction& each : contradictions_of(view)) {
    std::string& why = reasons[static_cast<std::size_t>(each.contrast - view.contrasts.contrasts.data())];
    why += (why.empty() ? "" : "; ") + each.why;
  }
  return reasons;
}

}  // namespace regatta::report
