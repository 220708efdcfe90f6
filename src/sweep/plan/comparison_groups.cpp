#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "regatta/json/text.hpp"
#include "sweep/plan/plan.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

/// The parameters of `over`, each of which must be an axis.
ParamSet compared_params(const Sweep& sweep) {
  ParamSet compared;
  for (std::size_t i = 0; i < sweep.compare->over.size(); ++i) {
    const Param& param = sweep.compare->over[i];
    if (!has_axis(sweep, param)) {
      json::refuse(place_in(sweep, fmt::format("/compare/over/{}", i)),
                   {fmt::format("{}, which is no axis of this sweep", json::quote(name_of(param))),
                    json::one_of(axis_names(sweep)), ""});
    }
    compared.set(param);
  }
  return compared;
}

ParamSet without(ParamSet set, const ParamSet& others) {
  set -= others;
  return set;
}

class Grouper {
 public:
  Grouper(const Sweep& sweep, const Points& points, Kinds& kinds, const std::vector<Trial>& trials)
      : sweep_(sweep),
        points_(points),
        kinds_(kinds),
        trials_(trials),
        strata_(without(points.varying(), compared_params(sweep))) {}

  std::vector<Group> run(const std::vector<TrialIndex>& trial_of_point) {
    check_baseline();
    const std::vector<Param> strata = strata_.members();
    std::string key;
    std::unordered_map<std::string, std::size_t> known;
    known.reserve(points_.at_most());
    std::vector<ParamSet> free_sets;
    std::size_t number = 0;
    points_.each([&](const Point& point) {
      make_key(key, point.values, strata);
      const auto [entry, is_new] = known.try_emplace(key, groups_.size());
      if (is_new) groups_.emplace_back();
      group_of_point_.push_back(entry->second);
      put(entry->second, point, trial_of_point[number++]);
      const ParamSet free = free_params(point);
      if (free.any() && std::ranges::find(free_sets, free) == free_sets.end()) free_sets.push_back(free);
    });
    for (const ParamSet& free : free_sets) join_free_points(free, trial_of_point);
    const bool found = std::ranges::any_of(groups_, [](const Group& group) { return group.baseline.has_value(); });
    if (!found && !sweep_.compare->baseline.empty()) refuse_baseline("matches no arm (exclude removes it everywhere)");
    return std::move(groups_);
  }

 private:
  [[nodiscard]] std::string baseline_text() const {
    std::vector<std::string> pairs;
    for (const auto& [param, value] : sweep_.compare->baseline)
      pairs.push_back(fmt::format("{}:{}", json::quote(name_of(param)), to_json(value)));
    return fmt::format("{{{}}}", fmt::join(pairs, ","));
  }

  [[noreturn]] void refuse_baseline(const std::string& why) const {
    json::refuse(place_in(sweep_, "/compare/baseline"), {fmt::format("{}, which {}", baseline_text(), why),
                                                         "it to match exactly one arm of each comparison", ""});
  }

  void check_baseline() const {
    for (const auto& [param, value] : sweep_.compare->baseline) {
      if (!has_level(sweep_, param, value))
        refuse_baseline(fmt::format("matches no arm ({} is no level of the axis {})", to_json(value), name_of(param)));
      if (const auto why = why_taken_away(sweep_, param, value))
        refuse_baseline(fmt::format("matches no arm ({})", *why));
    }
  }

  [[nodiscard]] bool is_baseline(const Point& point) const {
    const Match& baseline = sweep_.compare->baseline;
    return !baseline.empty() && std::ranges::all_of(baseline, [&](const auto& wanted) {
      return point.values[wanted.first] == wanted.second;
    });
  }

  /// Conditional parameters that the point does not have and its trial does not read: it stands beside all their
  /// levels, as it would if they were axes of all points.
  ParamSet free_params(const Point& point) {
    ParamSet absent = points_.conditional();
    absent -= without(absent, strata_);
    absent -= point.given;
    return absent.any() ? without(std::move(absent), kinds_.kind_at(point).read) : absent;
  }

  /// The points with these free parameters join, after its own members, each group that agrees in all others.
  void join_free_points(const ParamSet& free, const std::vector<TrialIndex>& trial_of_point) {
    const std::vector<Param> fixed = without(strata_, free).members();
    std::string key;
    std::unordered_map<std::string, std::vector<std::size_t>> groups;
    std::vector<bool> listed(groups_.size(), false);
    std::size_t number = 0;
    points_.each([&](const Point& point) {
      const std::size_t group = group_of_point_[number++];
      if (listed[group]) return;
      listed[group] = true;
      make_key(key, point.values, fixed);
      groups[key].push_back(group);
    });
    number = 0;
    points_.each([&](const Point& point) {
      const std::size_t at = number++;
      if (free_params(point) != free) return;
      make_key(key, point.values, fixed);
      for (const std::size_t group : groups.at(key)) {
        if (group != group_of_point_[at]) put(group, point, trial_of_point[at]);
      }
    });
  }

  void put(std::size_t group, const Point& point, TrialIndex trial) {
    auto& [members, baseline] = groups_[group];
    members.push_back(trial);
    if (!is_baseline(point)) return;
    if (baseline.value_or(trial) != trial)
      refuse_baseline(fmt::format("matches more than one arm ({} and {})", arm_text(*baseline), arm_text(trial)));
    baseline = trial;
  }

  /// "engine native, mode eager": an arm told by what is compared.
  [[nodiscard]] std::string arm_text(TrialIndex trial) const {
    std::vector<std::string> pairs;
    for (const Param& param : sweep_.compare->over)
      pairs.push_back(fmt::format("{} {}", name_of(param), to_text(trials_[trial.value].parameters[param])));
    return fmt::format("{}", fmt::join(pairs, ", "));
  }

  const Sweep& sweep_;
  const Points& points_;
  Kinds& kinds_;
  const std::vector<Trial>& trials_;
  ParamSet strata_;  ///< axes that are not compared
  std::vector<Group> groups_;
  std::vector<std::size_t> group_of_point_;
};

}  // namespace

std::vector<Group> group_points(const Sweep& sweep, const Points& points, Kinds& kinds,
                                const std::vector<Trial>& trials, const std::vector<TrialIndex>& trial_of_point) {
  return Grouper(sweep, points, kinds, trials).run(trial_of_point);
}

}  // namespace regatta::sweep
