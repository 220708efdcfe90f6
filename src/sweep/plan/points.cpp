#include "sweep/plan/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sweep/parameters/json_text.hpp"
#include "sweep/read/problem.hpp"

namespace regatta::sweep {
namespace {

const Axis* axis_of(const std::vector<Axis>& axes, Param param) {
  const auto found = std::ranges::find(axes, param, &Axis::param);
  return found == axes.end() ? nullptr : &*found;
}

/// The axes that go together with this one, itself included, in the order of the zip.
std::vector<const Axis*> zipped_with(const Sweep& sweep, const Axis& axis) {
  for (const auto& zip : sweep.zips) {
    if (std::ranges::find(zip, axis.param) == zip.end()) continue;
    std::vector<const Axis*> axes;
    for (const Param param : zip) axes.push_back(axis_of(sweep.axes, param));
    return axes;
  }
  return {&axis};
}

/// Product of two counts, or one beyond max_points.
std::uint64_t times(std::uint64_t a, std::uint64_t b) { return a != 0 && b > max_points / a ? max_points + 1 : a * b; }

}  // namespace

Points::Points(const Sweep& sweep) : sweep_(sweep), repeats_(sweep.repeats) {
  add_limits();
  for (const When& when : sweep.whens) {
    for (const Axis& axis : when.axes) conditional_.set(position(axis.param));
  }
  add_part({}, true);
  for (const auto& include : sweep.includes) add_part(include, false);
  varying_.set(position(Param::repeat), repeats_ > 1);
  for (const When& when : sweep.whens) whens_.push_back(flags_of(when.condition));
  add_exclusions();
  refuse_too_many();
}

/// Before the dimensions, whose rows they shorten.
void Points::add_limits() {
  for (const auto& [param, values] : sweep_.only) {
    for (const Value& value : values) table_.add(param, value);
  }
  only_ = flags_of(sweep_.only);
  for (const LeftOut& left : sweep_.left_out) left_out_.emplace_back(left.param, table_.add(left.param, left.level));
}

/// The grid of the sweep's axes, in which `own` ones replace theirs and leave the zips they are in.
void Points::add_part(const std::vector<Axis>& own, bool has_exclusions) {
  Part part;
  part.has_exclusions = has_exclusions;
  ParamSet done;
  for (const Axis& axis : sweep_.axes) {
    if (done[position(axis.param)]) continue;
    const Axis* replaced = axis_of(own, axis.param);
    std::vector<const Axis*> axes = {replaced};
    if (replaced == nullptr) {
      axes = zipped_with(sweep_, axis);
      std::erase_if(axes, [&](const Axis* other) { return axis_of(own, other->param) != nullptr; });
    }
    for (const Axis* each : axes) done.set(position(each->param));
    add_dimension(part, axes, std::nullopt);
  }
  for (const Axis& axis : own) {
    if (!done[position(axis.param)]) add_dimension(part, {&axis}, std::nullopt);
  }
  for (std::size_t when = 0; when < sweep_.whens.size(); ++when) {
    for (const Axis& axis : sweep_.whens[when].axes) {
      if (axis_of(own, axis.param) == nullptr) add_dimension(part, {&axis}, when);
    }
  }
  parts_.push_back(std::move(part));
}

void Points::add_dimension(Part& part, const std::vector<const Axis*>& axes, std::optional<std::size_t> when) {
  Dimension dimension;
  dimension.when = when;
  for (const Axis* axis : axes) {
    dimension.params.push_back(axis->param);
    dimension.mask.set(position(axis->param));
  }
  std::set<std::vector<LevelId>> seen;  // a row of a zip that has lost an axis, or was drawn twice, stands once
  const bool may_repeat = std::ranges::any_of(
      sweep_.zips, [&](const auto& zip) { return std::ranges::find(zip, axes.front()->param) != zip.end(); });
  std::vector<LevelId> row(axes.size());
  for (std::size_t i = 0; i < axes.front()->levels.size(); ++i) {
    for (std::size_t k = 0; k < axes.size(); ++k) row[k] = table_.add(axes[k]->param, axes[k]->levels[i]);
    if (!keeps_row(dimension, row) || (may_repeat && !seen.insert(row).second)) continue;
    dimension.levels.insert(dimension.levels.end(), row.begin(), row.end());
    ++dimension.rows;
  }
  varying_ |= dimension.mask;
  part.dimensions.push_back(std::move(dimension));
}

bool Points::keeps_row(const Dimension& dimension, const std::vector<LevelId>& row) const {
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Param param = dimension.params[i];
    for (const auto& [limited, kept] : only_) {
      if (limited == position(param) && (row[i] >= kept.size() || !kept[row[i]])) return false;
    }
    if (std::ranges::find(left_out_, std::pair(param, row[i])) != left_out_.end()) return false;
  }
  return true;
}

bool Points::keeps_repeat(std::int64_t repeat) const {
  return std::ranges::all_of(only_, [&](const auto& limit) {
    const auto level = static_cast<std::size_t>(repeat);
    return limit.first != position(Param::repeat) || (level < limit.second.size() && limit.second[level]);
  });
}

/// A level that the sweep does not have (--set took it away) matches nothing.
Points::Flags Points::flags_of(const Condition& condition) const {
  Flags flags;
  for (const auto& [param, values] : condition) {
    std::vector<bool> matching;
    for (const Value& value : values) {
      const auto level = table_.find(param, value);
      if (!level) continue;
      if (matching.size() <= *level) matching.resize(*level + std::size_t{1});
      matching[*level] = true;
    }
    flags.emplace_back(position(param), std::move(matching));
  }
  return flags;
}

bool Points::holds(const Flags& flags, const PointLevels& levels) {
  return std::ranges::all_of(flags, [&](const auto& flag) {
    const LevelId level = levels[flag.first];
    return level < flag.second.size() && flag.second[level];
  });
}

bool Points::is_excluded(const PointLevels& levels) const {
  return std::ranges::any_of(exclusions_, [&](const Flags& exclusion) { return holds(exclusion, levels); });
}

void Points::add_exclusions() {
  for (std::size_t i = 0; i < sweep_.excludes.size(); ++i) {
    for (const auto& [param, values] : sweep_.excludes[i]) {
      if (varying_[position(param)]) continue;
      const std::string name(info(param).name);
      refuse(place_in(sweep_, fmt::format("/exclude/{}/{}", i, name)),
             {fmt::format("the parameter {}, which is no axis of this sweep", quote(name)), "an axis", ""});
    }
    exclusions_.push_back(flags_of(sweep_.excludes[i]));
  }
}

void Points::refuse_given_twice(const Dimension& dimension) const {
  const std::string name(info(dimension.params.front()).name);
  refuse(place_in(sweep_, fmt::format("/when/{}/axes/{}", *dimension.when, name)),
         {fmt::format("the axis {}, which an earlier \"when\" gives to some of the same points", quote(name)),
          "conditions of which at most one holds at a point", ""});
}

void Points::refuse_too_many() const {
  std::uint64_t fewest = 0;
  std::uint64_t most = 0;
  for (const Part& part : parts_) {
    std::uint64_t everywhere = static_cast<std::uint64_t>(repeats_);
    std::uint64_t conditional = 1;
    for (const Dimension& dimension : part.dimensions) {
      if (dimension.when)
        conditional = times(conditional, std::max<std::size_t>(dimension.rows, 1));
      else
        everywhere = times(everywhere, dimension.rows);
    }
    fewest += everywhere;
    most += times(everywhere, conditional);
  }
  if (fewest <= max_points && most > max_points) {  // only a count of the points themselves can tell
    const std::uint64_t room = max_points / static_cast<std::uint64_t>(repeats_);
    std::uint64_t count = 0;
    Point point;
    for (const Part& part : parts_) walk(part, 0, point, [&](const Point&) { return ++count <= room; });
    fewest = count <= room ? 0 : max_points + 1;
  }
  if (fewest <= max_points) return;
  refuse(place_in(sweep_, "/axes"),
         {fmt::format("more than {} points (levels of all axes and repeats, multiplied)", max_points),
          "at most that many", ""});
}

}  // namespace regatta::sweep
