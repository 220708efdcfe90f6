#include "measure/check_same_work.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "measure/same_work.hpp"

namespace regatta::measure {
namespace {

constexpr std::int64_t check_steps = 3;
constexpr double longest_checked_step_seconds = 30;

/// A worker that cannot run its first steps again reports no losses.
void judge_work(Arm& arm, const Arm& baseline, const protocol::Checked& its, const protocol::Checked& expected) {
  if (its.losses.empty() || expected.losses.empty()) {
    arm.verified = sweep::Verified::unchecked;
    arm.verified_detail = "no losses were reported";
  } else if (owed(*baseline.task, *arm.task) == Agreement::rounded) {
    const double apart = rounding_apart(expected, its);
    arm.verified = apart <= rounded_tolerance ? sweep::Verified::unchecked : sweep::Verified::no;
    arm.verified_detail =
        fmt::format("different arithmetic: the mean results of the first {} steps lie up to {:.2g} % apart",
                    check_steps, 100 * apart);
  } else {
    arm.verified_detail = difference(expected, its);
    arm.verified = arm.verified_detail.empty() ? sweep::Verified::yes : sweep::Verified::no;
  }
}

}  // namespace

void check_same_work(BlockRun& run) {
  if (run.living.size() < 2) return;
  const Arm& baseline = run.arms[run.living.front()];
  const bool quick = std::ranges::all_of(
      run.living, [&](std::size_t at) { return run.arms[at].step_seconds < longest_checked_step_seconds; });
  std::vector<std::size_t> alike;
  for (std::size_t at : run.living) {
    const Arm& arm = run.arms[at];
    const bool owes =
        sweep::keeps_work(arm.task->intervention.kind) && owed(*baseline.task, *arm.task) != Agreement::none;
    if (!arm.is_program() && owes) alike.push_back(at);
  }
  if (!quick || alike.size() < 2 || alike.front() != run.living.front()) return;
  std::vector<protocol::Checked> checked(run.arms.size());
  for_each_living(run, [&](Arm& arm) {
    if (std::ranges::find(alike, arm.index.value) != alike.end())
      checked[arm.index.value] = check_arm(run, arm, check_steps);
  });
  for (std::size_t at : alike) judge_work(run.arms[at], baseline, checked[at], checked[alike.front()]);
}

}  // namespace regatta::measure
