#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measure/measure.hpp"
#include "measure/same_work.hpp"

namespace regatta::measure {
namespace {

using protocol::CheckAs;
using protocol::Checked;
using sweep::Verified;

constexpr std::int64_t check_steps = 3;
constexpr double longest_checked_step_seconds = 30;

/// The answers of an arm; nothing: it was not asked.
struct Answers {
  std::optional<Checked> timed;
  std::optional<Checked> exact;
  std::optional<Sensitivity> sensitivity;  ///< empty where the arm cannot tell it
};

/// Arms that owe each other the same results, the baseline's first, and what they have answered by now.
class SameWorkCheck {
 public:
  explicit SameWorkCheck(BlockRun& run) : run_(run), answers_(run.arms.size()) {}

  void judge(const std::vector<std::size_t>& alike) {
    for (const std::size_t at : alike) answers_[at].timed = asked(at, CheckAs::timed, check_steps);
    for (const std::size_t at : alike) judge(alike.front(), at);
  }

 private:
  /// No losses from an arm that has ended meanwhile.
  Checked asked(std::size_t at, CheckAs as, std::int64_t steps) {
    Checked found{run_.arms[at].index, {}, {}};
    for_living(run_, at, [&](Arm& arm) { found = check_arm(run_, arm, steps, as); });
    return found;
  }

  void judge(std::size_t reference, std::size_t at) {
    Arm& arm = run_.arms[at];
    const Checked& expected = *answers_[reference].timed;
    const Checked& its = *answers_[at].timed;
    if (its.losses.empty() || expected.losses.empty()) {
      arm.verified = Verified::unchecked;
      arm.verified_detail = "no losses were reported";
      return;
    }
    const Agreement agreement = owed(*run_.arms[reference].task, *arm.task);
    if (agreement == Agreement::in_the_mean) return judge_means(arm, expected, its);
    const Answer answer = answer_of(reference, at);
    arm.verified = answer.verified;
    arm.verified_detail = answer.detail;
    const bool agrees = answer.verified == Verified::yes || answer.verified == Verified::close;
    if (agreement == Agreement::rounded && agrees) {
      arm.verified = Verified::close;
      arm.verified_detail = fmt::format("different arithmetic{}{}", answer.detail.empty() ? "" : ": ", answer.detail);
    }
  }

  static void judge_means(Arm& arm, const Checked& expected, const Checked& its) {
    const double apart = means_apart(expected, its);
    arm.verified = apart <= mean_tolerance ? Verified::unchecked : Verified::no;
    arm.verified_detail = fmt::format(
        "batches are normalized in other parts: the mean results of the first {} steps lie up to {:.2g} % apart",
        check_steps, 100 * apart);
  }

  /// Sensitivity to rounding is asked for only where it matters: mostly everything agrees without.
  Answer answer_of(std::size_t reference, std::size_t at) {
    const Checked& expected = *answers_[reference].timed;
    const Checked& its = *answers_[at].timed;
    const auto type_of_reference = number_type(*run_.arms[reference].task, expected);
    const auto type_of_arm = number_type(*run_.arms[at].task, its);
    const Tolerances tolerances = tolerances_of(std::max(type_of_reference, type_of_arm), run_.task.measure.same_work);
    if (auto text = other_number_of_weights(expected, its); !text.empty()) return {Verified::no, std::move(text)};
    const bool has_other_tensors = expected.own_weights && !other_shape(expected, its).empty();
    const auto judged = has_other_tensors ? compared_in_any_layout : compared;
    Answer answer = judged(expected, its, tolerances, {});
    if (answer.verified == Verified::yes) return answer;
    if (auto text = other_start(expected, its); !text.empty()) return {Verified::other_weights, std::move(text)};
    answer = judged(expected, its, tolerances, sensitivity_at(type_of_arm > type_of_reference ? at : reference));
    if (answer.verified == Verified::yes) return answer;
    const std::string side = side_that_is_off(expected, its, exact_at(reference), exact_at(at), tolerances);
    if (!side.empty()) answer.detail += "; " + side;
    return answer;
  }

  const Sensitivity& sensitivity_at(std::size_t at) {
    std::optional<Sensitivity>& known = answers_[at].sensitivity;
    if (!known) {
      const Checked one = asked(at, CheckAs::shaken, check_steps);
      known = one.losses.empty() ? Sensitivity() : sensitivity_of(one, asked(at, CheckAs::shaken_again, check_steps));
    }
    return *known;
  }

  const Checked& exact_at(std::size_t at) {
    if (!answers_[at].exact) answers_[at].exact = asked(at, CheckAs::double_precision, 1);
    return *answers_[at].exact;
  }

  BlockRun& run_;
  std::vector<Answers> answers_;
};

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
  SameWorkCheck check(run);
  for (const auto& alike : arms_alike(run)) {
    if (alike.size() == 1)
      run.arms[alike.front()].verified = Verified::alone;
    else
      check.judge(alike);
  }
}

}  // namespace regatta::measure
