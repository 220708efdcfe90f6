#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "sweep/plan/plan.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

/// Whether the two differ in one parameter. A parameter that one of them does not read is no difference.
bool differ_in_one(const Compare& compare, const Parameters& a, const Parameters& b) {
  constexpr Value unread;
  return std::ranges::count_if(compare.over, [&](const Param param) {
           return a[param] != unread && b[param] != unread && a[param] != b[param];
         }) == 1;
}

/// Runnable trials of a group, each once, in order.
std::vector<TrialIndex> arms_of(const Group& group, const std::vector<Trial>& trials) {
  std::vector<TrialIndex> arms = group.members;
  std::erase_if(arms, [&](TrialIndex trial) { return trials[trial.value].skip_reason.has_value(); });
  std::ranges::sort(arms);
  arms.erase(std::unique(arms.begin(), arms.end()), arms.end());
  return arms;
}

void refuse_too_many_pairs(const Sweep& sweep, const std::vector<Group>& groups) {
  std::uint64_t pairs = 0;
  for (const Group& group : groups) {
    const std::uint64_t arms = group.members.size();
    pairs += arms * (arms - 1) / 2;
    if (pairs <= max_points) continue;
    json::refuse(place_in(sweep, "/compare/pairs"), {fmt::format("more than {} pairs of arms", max_points),
                                                     "at most that many (\"baseline\" compares each arm once)", ""});
  }
}

}  // namespace

std::vector<Pair> pair_up(const Sweep& sweep, const std::vector<Trial>& trials, const std::vector<Group>& groups) {
  refuse_too_many_pairs(sweep, groups);
  std::vector<bool> is_baseline(trials.size(), false);
  for (const Group& group : groups) {
    if (group.baseline) is_baseline[group.baseline->value] = true;
  }
  std::vector<Pair> pairs;
  for (const Group& group : groups) {
    const std::vector<TrialIndex> arms = arms_of(group, trials);
    for (auto a = arms.begin(); a != arms.end(); ++a) {
      for (auto b = a + 1; b != arms.end(); ++b) {
        if (sweep.compare->pairs == Pairs::one_factor &&
            !differ_in_one(*sweep.compare, trials[a->value].parameters, trials[b->value].parameters))
          continue;
        const bool later_leads = is_baseline[b->value] && !is_baseline[a->value];
        pairs.push_back(later_leads ? Pair{*b, *a} : Pair{*a, *b});
      }
    }
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

std::string why_unpaired(Pairs pairs) {
  return pairs == Pairs::one_factor
             ? "no other arm here differs from it in one parameter only"
             : "nothing to compare with here: every other arm is skipped, excluded or merged with it";
}

}  // namespace regatta::sweep
