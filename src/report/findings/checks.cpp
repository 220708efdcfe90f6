#include "report/findings/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "regatta/analysis/disturbances.hpp"
#include "regatta/analysis/labels.hpp"
#include "report/findings/summary.hpp"

namespace regatta::report {
namespace {

Check identical_code(const analysis::IdenticalCode& twice) {
  if (twice.total() == 0)
    return {false, "identical code was not measured twice: how far apart it is here is not known"};
  return {twice.wrong == 0 && twice.same > 0, "identical code twice: " + stats::clone_checks_text(twice)};
}

Check floor_check(const View& view) {
  const double floor = view.contrasts.identical.floor;
  const double margin = margin_of(view);
  std::string text = fmt::format("floor {:.2g} %, margin {:g} %", 100 * floor, 100 * margin);
  if (floor > margin) text += ": smaller differences than the floor get no verdict here";
  return {floor <= 2 * margin, std::move(text)};
}

/// How far apart two plain loops were on identical code: why arms take turns. Not a check that can fail.
void add_plain_loops(std::vector<Check>& checks, const View& view) {
  double most = 0;
  std::size_t apart = 0;
  std::size_t all = 0;
  for (const auto& clone : view.contrasts.clones) {
    if (!clone.plain) continue;
    ++all;
    apart += clone.plain->tells_apart() ? 1 : 0;
    most = std::max(most, std::abs(std::log(clone.plain->ratio)));
  }
  if (all == 0) return;
  checks.push_back(
      {true, fmt::format("two plain loops, one after the other, on that code: up to {:.2g} % apart; {} of {} "
                         "would have been called different",
                         100 * std::expm1(most), apart, all)});
}

bool is_rounded(const analysis::Contrast& contrast) {
  return std::ranges::find(contrast.flags, analysis::different_arithmetic) != contrast.flags.end();
}

/// Counts trials that stand in a ratio, or lost theirs because they did other work.
Check same_work(const View& view) {
  std::string rounded;
  std::size_t yes = 0;
  std::size_t no = 0;
  std::size_t all = 0;
  for (std::size_t i = 0; i < view.results.trials.size(); ++i) {
    const auto& trial = view.results.trials[i];
    const bool failed = trial.verified == sweep::Verified::no;
    if (view.ratio[i] == nullptr && !view.is_baseline[i] && !failed) continue;
    if (!failed && view.ratio[i] != nullptr && is_rounded(*view.ratio[i])) {
      const std::string name = analysis::label(trial.parameters, view.axes.arm);
      const std::string detail = sweep::text_of(trial.facts, sweep::Fact::verified_detail);
      rounded += fmt::format("; {}: {}", name, detail.empty() ? analysis::different_arithmetic : detail);
      continue;
    }
    ++all;
    yes += trial.verified == sweep::Verified::yes ? 1 : 0;
    no += failed ? 1 : 0;
  }
  std::string text = fmt::format("{} of {} cells were shown to do the same work", yes, all);
  if (no > 0) text += fmt::format(", {} do not", no);
  return {yes == all, text + rounded};
}

Check disturbances(const View& view) {
  const auto seen = analysis::disturbances_of(view.results);
  const auto throttled = seen.of("throttled");
  std::string text = throttled == 0 ? "no throttling; " : fmt::format("{} slices throttled; ", throttled);
  text += fmt::format("{} of {} slices disturbed", seen.disturbed, seen.slices);
  if (seen.disturbed > 0) {
    text += " (kept, flagged: ";
    const char* separator = "";
    for (const auto& [name, count] : seen.by_kind) {
      text += fmt::format("{}{} {}", separator, count, name);
      separator = ", ";
    }
    text += ")";
  }
  const auto hang = std::ranges::count_if(view.contrasts.contrasts, analysis::hangs_on_disturbed);
  if (hang > 0)
    text += fmt::format("; without them {} comparison{} another ratio", hang, hang == 1 ? " has" : "s have");
  return {throttled == 0 && 2 * seen.disturbed <= seen.slices && hang == 0, std::move(text)};
}

}  // namespace

std::vector<Check> checks_of(const View& view) {
  if (view.contrasts.contrasts.empty()) return {};
  std::vector<Check> checks = {identical_code(view.contrasts.identical), floor_check(view)};
  add_plain_loops(checks, view);
  checks.push_back(same_work(view));
  checks.push_back(disturbances(view));
  return checks;
}

}  // namespace regatta::report
