#include "sweep/plan/comparison_groups.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "sweep/parameters/json_text.hpp"
#include "sweep/plan/fingerprints.hpp"
#include "sweep/read/axes.hpp"
#include "sweep/read/problem.hpp"

namespace regatta::sweep {
namespace {

/// The parameters of `over`, each of which must be an axis.
ParamSet compared_params(const Sweep& sweep) {
  ParamSet compared;
  for (std::size_t i = 0; i < sweep.compare->over.size(); ++i) {
    const Param param = sweep.compare->over[i];
    if (!has_axis(sweep, param)) {
      refuse(
          place_in(sweep, fmt::format("/compare/over/{}", i)),
          {fmt::format("{}, which is no axis of this sweep", quote(info(param).name)), one_of(axis_names(sweep)), ""});
    }
    compared.set(position(param));
  }
  return compared;
}

class Grouper {
 public:
  Grouper(const Sweep& sweep, const Points& points, Kinds& kinds, const Expansion& expansion)
      : sweep_(sweep), points_(points), kinds_(kinds), expansion_(expansion) {
    strata_ = points.varying() & ~compared_params(sweep);
  }

  Groups run() {
    read_baseline();
    scan();
    if (!free_sets_.empty()) join_free_points();
    Groups groups = collect();
    const bool found = std::ranges::any_of(groups.baseline, [](std::uint32_t trial) { return trial != no_trial; });
    if (!found && !wanted_.empty()) refuse_baseline("matches no arm (exclude removes it everywhere)");
    return groups;
  }

 private:
  [[nodiscard]] std::string baseline_text() const {
    std::vector<std::string> pairs;
    for (const auto& [param, value] : sweep_.compare->baseline)
      pairs.push_back(fmt::format("{}:{}", quote(info(param).name), to_json(value)));
    return fmt::format("{{{}}}", fmt::join(pairs, ","));
  }

  [[noreturn]] void refuse_baseline(const std::string& why) const {
    refuse(place_in(sweep_, "/compare/baseline"),
           {fmt::format("{}, which {}", baseline_text(), why), "it to match exactly one arm of each comparison", ""});
  }

  void read_baseline() {
    for (const auto& [param, value] : sweep_.compare->baseline) {
      if (!has_level(sweep_, param, value))
        refuse_baseline(
            fmt::format("matches no arm ({} is no level of the axis {})", to_json(value), info(param).name));
      if (const auto why = why_taken_away(sweep_, param, value))
        refuse_baseline(fmt::format("matches no arm ({})", *why));
      wanted_.emplace_back(position(param), points_.table().find(param, value).value());
    }
  }

  [[nodiscard]] bool is_baseline(const PointLevels& levels) const {
    return !wanted_.empty() &&
           std::ranges::all_of(wanted_, [&](const auto& want) { return levels[want.first] == want.second; });
  }

  /// Conditional parameters that the point does not have and its trial does not read: it stands beside all their
  /// levels, as it would if they were axes of all points.
  ParamSet free_params(const Point& point) {
    const ParamSet absent = points_.conditional() & strata_ & ~point.given;
    return absent.none() ? absent : absent & ~kinds_.kind_at(point.levels).read;
  }

  void scan() {
    points_.each([&](const Point& point) {
      group_of_point_.push_back(table_.add(fingerprint_of(point.levels, strata_)).first);
      is_baseline_.push_back(is_baseline(point.levels));
      if (points_.conditional().none()) return;
      const ParamSet free = free_params(point);
      if (free.any()) free_sets_.insert(free.to_ulong());
    });
  }

  void join_free_points() {
    for (const unsigned long bits : free_sets_) {
      const ParamSet fixed = strata_ & ~ParamSet(bits);
      std::vector<std::pair<Fingerprint, std::uint32_t>> groups;  // by what is fixed
      std::vector<bool> listed(table_.size(), false);
      std::size_t number = 0;
      points_.each([&](const Point& point) {
        const std::uint32_t group = group_of_point_[number++];
        if (listed[group]) return;
        listed[group] = true;
        groups.emplace_back(fingerprint_of(point.levels, fixed), group);
      });
      std::ranges::sort(groups);
      number = 0;
      points_.each([&](const Point& point) {
        const std::size_t at = number++;
        if (free_params(point).to_ulong() != bits) return;
        const Fingerprint wanted = fingerprint_of(point.levels, fixed);
        auto found = std::ranges::lower_bound(groups, std::pair(wanted, std::uint32_t{0}));
        for (; found != groups.end() && found->first == wanted; ++found) {
          if (found->second != group_of_point_[at]) joined_.emplace_back(found->second, static_cast<std::uint32_t>(at));
        }
      });
    }
  }

  /// Members of a group in order of points, then those that joined it.
  Groups collect() {
    Groups groups;
    groups.ends.assign(table_.size() + 1, 0);
    for (const std::uint32_t group : group_of_point_) ++groups.ends[group + 1];
    for (const auto& [group, point] : joined_) ++groups.ends[group + 1];
    for (std::size_t i = 1; i < groups.ends.size(); ++i) groups.ends[i] += groups.ends[i - 1];
    groups.members.resize(groups.ends.back());
    groups.baseline.assign(table_.size(), no_trial);
    for (std::uint32_t point = 0; point < group_of_point_.size(); ++point) put(groups, group_of_point_[point], point);
    for (const auto& [group, point] : joined_) put(groups, group, point);
    groups.ends.pop_back();  // each beginning has moved to its end
    return groups;
  }

  void put(Groups& groups, std::uint32_t group, std::uint32_t point) const {
    const std::uint32_t trial = expansion_.trial_of_point[point];
    groups.members[groups.ends[group]++] = trial;
    if (!is_baseline_[point]) return;
    std::uint32_t& baseline = groups.baseline[group];
    if (baseline != no_trial && baseline != trial) {
      refuse_baseline(fmt::format("matches more than one arm ({} and {})", arm_text(baseline), arm_text(trial)));
    }
    baseline = trial;
  }

  /// "engine native, mode eager": an arm told by what is compared.
  [[nodiscard]] std::string arm_text(std::uint32_t trial) const {
    std::vector<std::string> pairs;
    std::size_t number = 0;
    points_.each([&](const Point& point) {
      if (expansion_.trial_of_point[number++] != trial || !pairs.empty()) return;
      const Parameters parameters = kinds_.parameters_at(point.levels, kinds_.kind_at(point.levels));
      for (const Param param : sweep_.compare->over)
        pairs.push_back(fmt::format("{} {}", info(param).name, to_text(parameters[param])));
    });
    return fmt::format("{}", fmt::join(pairs, ", "));
  }

  const Sweep& sweep_;
  const Points& points_;
  Kinds& kinds_;
  const Expansion& expansion_;
  ParamSet strata_;  ///< axes that are not compared
  std::vector<std::pair<std::size_t, LevelId>> wanted_;
  FingerprintTable table_;
  std::vector<std::uint32_t> group_of_point_;
  std::vector<bool> is_baseline_;
  std::set<unsigned long> free_sets_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> joined_;  ///< group and point
};

}  // namespace

Groups group_points(const Sweep& sweep, const Points& points, Kinds& kinds, const Expansion& expansion) {
  return Grouper(sweep, points, kinds, expansion).run();
}

}  // namespace regatta::sweep
