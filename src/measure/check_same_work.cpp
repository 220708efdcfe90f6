#include "measure/check_same_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "measure/same_work.hpp"

namespace regatta::measure {
namespace {

constexpr std::int64_t check_steps = 3;
constexpr double longest_checked_step_seconds = 30;

/// A worker that cannot run its first steps again reports no losses.
void judge_work(Arm& arm, const Arm& reference, const protocol::Checked& its, const protocol::Checked& expected) {
  if (its.losses.empty() || expected.losses.empty()) {
    arm.verified = sweep::Verified::unchecked;
    arm.verified_detail = "no losses were reported";
  } else if (owed(*reference.task, *arm.task) == Agreement::rounded) {
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

/// Living arms that owe each other the same results, the baseline's first. The first of each is what the others of it
/// are held against.
std::vector<std::vector<std::size_t>> arms_alike(const BlockRun& run) {
  std::vector<std::vector<std::size_t>> all;
  for (const std::size_t at : run.living) {
    const Arm& arm = run.arms[at];
    const bool owes_itself = owed(*arm.task, *arm.task) != Agreement::none;
    if (arm.is_program() || !owes_itself || !sweep::keeps_work(arm.task->intervention.kind)) continue;
    const auto found = std::ranges::find_if(all, [&](const std::vector<std::size_t>& alike) {
      return owed(*run.arms[alike.front()].task, *arm.task) != Agreement::none;
    });
    if (found == all.end())
      all.push_back({at});
    else
      found->push_back(at);
  }
  return all;
}

}  // namespace

void check_same_work(BlockRun& run) {
  if (run.living.size() < 2) return;
  const bool quick = std::ranges::all_of(
      run.living, [&](std::size_t at) { return run.arms[at].step_seconds < longest_checked_step_seconds; });
  if (!quick) return;
  std::vector<std::vector<std::size_t>> all = arms_alike(run);
  for (const auto& alike : all)
    if (alike.size() == 1) run.arms[alike.front()].verified_detail = sweep::nothing_to_check_against;
  std::erase_if(all, [](const auto& alike) { return alike.size() == 1; });
  std::vector<bool> is_held(run.arms.size());
  for (const auto& alike : all)
    for (const std::size_t at : alike) is_held[at] = true;
  std::vector<protocol::Checked> checked(run.arms.size());
  for_each_living(run, [&](Arm& arm) {
    if (is_held[arm.index.value]) checked[arm.index.value] = check_arm(run, arm, check_steps);
  });
  for (const auto& alike : all)
    for (const std::size_t at : alike)
      judge_work(run.arms[at], run.arms[alike.front()], checked[at], checked[alike.front()]);
}

}  // namespace regatta::measure
