#include "sweep/plan/comparison_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sweep/read/problem.hpp"

namespace regatta::sweep {
namespace {

constexpr LevelId unread = std::numeric_limits<LevelId>::max();

/// The levels of the compared parameters, trial after trial.
class ComparedLevels {
 public:
  ComparedLevels(const Sweep& sweep, const Points& points, Kinds& kinds, const Expansion& expansion)
      : width_(sweep.compare->over.size()) {
    std::size_t number = 0;
    std::size_t trials = 0;
    points.each([&](const Point& point) {
      if (expansion.trial_of_point[number++] != trials) return;
      ++trials;
      const Kind& kind = kinds.kind_at(point.levels);
      for (const Param param : sweep.compare->over)
        levels_.push_back(kind.read[position(param)] ? point.levels[position(param)] : unread);
    });
  }

  /// What one of two does not read is no difference between them.
  [[nodiscard]] bool differ_in_one(std::uint32_t a, std::uint32_t b) const {
    std::size_t differences = 0;
    for (std::size_t i = 0; i < width_; ++i) {
      const LevelId of_a = levels_[a * width_ + i];
      const LevelId of_b = levels_[b * width_ + i];
      if (of_a != unread && of_b != unread && of_a != of_b) ++differences;
    }
    return differences == 1;
  }

 private:
  std::size_t width_;
  std::vector<LevelId> levels_;
};

/// Runnable trials of a group, each once, in order.
std::vector<std::uint32_t> arms_of(const Groups& groups, std::size_t group, const Expansion& expansion) {
  std::vector<std::uint32_t> arms;
  for (std::size_t i = groups.begin_of(group); i < groups.ends[group]; ++i) {
    if (expansion.runs(groups.members[i])) arms.push_back(groups.members[i]);
  }
  std::ranges::sort(arms);
  arms.erase(std::unique(arms.begin(), arms.end()), arms.end());
  return arms;
}

void refuse_too_many_pairs(const Sweep& sweep, const Groups& groups) {
  std::uint64_t pairs = 0;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const std::uint64_t arms = groups.ends[group] - groups.begin_of(group);
    pairs += arms * (arms - 1) / 2;
    if (pairs <= max_points) continue;
    refuse(place_in(sweep, "/compare/pairs"), {fmt::format("more than {} pairs of arms", max_points),
                                               "at most that many (\"baseline\" compares each arm once)", ""});
  }
}

}  // namespace

std::vector<Pair> pair_up(const Sweep& sweep, const Points& points, Kinds& kinds, const Expansion& expansion,
                          const Groups& groups) {
  refuse_too_many_pairs(sweep, groups);
  const bool one_factor = sweep.compare->pairs == Pairs::one_factor;
  const ComparedLevels levels(sweep, points, kinds, expansion);
  std::vector<bool> is_baseline(expansion.trials(), false);
  for (const std::uint32_t trial : groups.baseline) {
    if (trial != no_trial) is_baseline[trial] = true;
  }
  std::vector<Pair> pairs;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const std::vector<std::uint32_t> arms = arms_of(groups, group, expansion);
    for (std::size_t i = 0; i < arms.size(); ++i) {
      for (std::size_t k = i + 1; k < arms.size(); ++k) {
        if (one_factor && !levels.differ_in_one(arms[i], arms[k])) continue;
        const bool later_leads = is_baseline[arms[k]] && !is_baseline[arms[i]];
        pairs.push_back(later_leads ? Pair{arms[k], arms[i]} : Pair{arms[i], arms[k]});
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
