#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "regatta/analysis/disturbances.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/report/wording.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "report/findings/findings.hpp"
#include "report/findings/summary.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t most_arms = 5;  // named

std::string identical_code(const View& view) {
  const analysis::IdenticalCode& twice = view.contrasts.identical;
  const auto distance = [](const analysis::CloneCheck& clone) { return std::abs(std::log(clone.ratio)); };
  const auto farthest = std::ranges::max_element(view.contrasts.clones, {}, distance);
  if (farthest == view.contrasts.clones.end())
    return "the same code was not measured twice, so nothing is known of bias";
  const std::string interval = directed_interval(farthest->ratio, farthest->low, farthest->high);
  const std::string apart =
      fmt::format("{:.2g} % apart{}{}", 100 * std::expm1(distance(*farthest)), interval.empty() ? "" : " ", interval);
  if (twice.total() == 1) return "the same code measured twice: " + apart;
  return fmt::format("the same code measured twice, {} times: at most {}; told apart {} time{}", twice.total(), apart,
                     twice.wrong, twice.wrong == 1 ? "" : "s");
}

/// Counts trials that stand in a ratio, or lost theirs because they did other work. Trials of another batch than
/// all beside them are told only.
std::string same_work(const View& view) {
  std::string rounded;
  std::size_t yes = 0;
  std::size_t no = 0;
  std::size_t close = 0;
  std::size_t other_weights = 0;
  std::size_t all = 0;
  std::size_t alone = 0;
  std::size_t programs = 0;
  for (std::size_t i = 0; i < view.results.trials.size(); ++i) {
    const auto& trial = view.results.trials[i];
    const bool failed = trial.verified == sweep::Verified::no;
    if (view.ratio[i] == nullptr && !view.is_baseline[i] && !failed) continue;
    if (!failed && view.ratio[i] != nullptr && view.ratio[i]->flags.has(stats::Flag::different_arithmetic)) {
      const std::string name = analysis::arm_label(trial.parameters, view.axes);
      const std::string detail = sweep::text_of(trial.facts, sweep::Fact::verified_detail);
      rounded +=
          fmt::format("; {}: {}", name,
                      detail.empty() ? stats::name_of(stats::Flag::different_arithmetic) : std::string_view(detail));
      continue;
    }
    if (trial.verified == sweep::Verified::alone) {
      ++alone;
      continue;
    }
    if (sweep::is_program(trial.parameters)) {
      ++programs;
      continue;
    }
    ++all;
    yes += trial.verified == sweep::Verified::yes ? 1 : 0;
    close += trial.verified == sweep::Verified::close ? 1 : 0;
    other_weights += trial.verified == sweep::Verified::other_weights ? 1 : 0;
    no += failed ? 1 : 0;
  }
  if (all == 0 && programs > 0) return "Regatta does not check what programs compute";
  std::string text = yes == all && all > 1 ? fmt::format("All {} trials were verified to do the same work", all)
                                           : fmt::format("{} of {} trials were verified to do the same work", yes, all);
  if (no > 0) text += fmt::format(", {} do not", no);
  if (close > 0) text += fmt::format(", {} came close and {} not verified", close, close == 1 ? "is" : "are");
  if (other_weights > 0)
    text += fmt::format(", {} start{} from other weights and {} not verified", other_weights,
                        other_weights == 1 ? "s" : "", other_weights == 1 ? "is" : "are");
  if (alone > 0)
    text += fmt::format("; {} ha{} a batch, model, data or work that no other trial has beside {}: not checked", alone,
                        alone == 1 ? "s" : "ve", alone == 1 ? "it" : "them");
  return text + rounded;
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

/// Empty where heat or power supply slowed no device.
std::string slowed_devices(const results::Results& results) {
  const auto slowed = std::ranges::count_if(
      results.blocks, [](const results::BlockRow& block) { return block.flags.has(stats::Flag::device_throttled); });
  return slowed == 0 ? "" : fmt::format("{} of {} blocks on a throttled device; ", slowed, results.blocks.size());
}

std::string disturbances(const View& view) {
  const auto seen = analysis::disturbances_of(view.results);
  const auto throttled = seen.of("throttled");
  const std::string slowed = slowed_devices(view.results);
  std::string text = slowed + (throttled == 0 ? "" : fmt::format("{} slices throttled; ", throttled));
  text += fmt::format("{} of {} slices disturbed", seen.disturbed, seen.slices);
  if (seen.disturbed > 0) text += fmt::format(" (kept, flagged: {}; {})", by_kind(seen), by_arm(view, seen));
  if (seen.disturbed > 0) {
    const auto hang = std::ranges::count_if(view.contrasts.contrasts, analysis::hangs_on_disturbed);
    text += hang == 0
                ? "; without them no verdict changes"
                : fmt::format("; without them {} verdict{} change{}", hang, hang == 1 ? "" : "s", hang == 1 ? "s" : "");
  }
  return text;
}

/// Said only where it told: the order of slices is balanced, so that this is an error of the measurement (R9).
void add_order(std::vector<std::string>& notes, const View& view) {
  std::vector<TrialIndex> trials;
  for (const auto& contrast : view.contrasts.contrasts) {
    if (contrast.flags.has(stats::Flag::position)) trials.push_back(contrast.a);
  }
  if (trials.empty()) return;
  notes.push_back(fmt::format("the place of a slice in its round changes times in {} of {} comparisons: {}",
                              trials.size(), view.contrasts.contrasts.size(), names_of(view, trials, names_shown)));
}

}  // namespace

std::string same_work_sentence(const View& view) {
  return view.contrasts.contrasts.empty() ? "" : same_work(view) + ".";
}

std::vector<std::string> checks_of(const View& view) {
  if (view.contrasts.contrasts.empty()) return {};
  std::vector<std::string> notes = {identical_code(view), same_work(view), disturbances(view)};
  add_order(notes, view);
  return notes;
}

}  // namespace regatta::report
