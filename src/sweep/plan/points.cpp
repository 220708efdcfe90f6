#include "sweep/plan/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "regatta/json/text.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

const Axis* axis_of(const std::vector<Axis>& axes, const Param& param) {
  const auto found = std::ranges::find(axes, param, &Axis::param);
  return found == axes.end() ? nullptr : &*found;
}

bool contains_param(const std::vector<Param>& params, const Param& param) {
  return std::ranges::find(params, param) != params.end();
}

/// The axes that go together with this one, itself included: all that are drawn, or those of its zip, in its order.
std::vector<const Axis*> together_with(const Sweep& sweep, const Axis& axis) {
  std::vector<const Axis*> axes;
  if (axis.is_drawn) {
    for (const Axis& other : sweep.axes) {
      if (other.is_drawn) axes.push_back(&other);
    }
    return axes;
  }
  for (const auto& zip : sweep.zips) {
    if (!contains_param(zip, axis.param)) continue;
    for (const Param& param : zip) axes.push_back(axis_of(sweep.axes, param));
    return axes;
  }
  return {&axis};
}

std::int64_t most_ranks_of(const std::vector<Axis>& axes) {
  std::int64_t most = 1;
  const Axis* ranks = axis_of(axes, Param::ranks);
  if (ranks == nullptr) return most;
  for (const Value& level : ranks->levels) {
    if (const auto* count = std::get_if<std::int64_t>(&level)) most = std::max(most, *count);
  }
  return most;
}

/// Trials of one rank and of several give the same bits only if their steps have the same shards.
std::int64_t shards_for(const Sweep& sweep) {
  const std::int64_t ranks = most_ranks(sweep);
  if (ranks == 1) return 1;
  return std::max(usual_shards, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(ranks))));
}

Parameters defaults_of(const Sweep& sweep) {
  Parameters values;
  for (const ParamInfo& row : parameter_table()) values.set(row.param, row.fallback);
  values.set(Param::shards, std::min(shards_for(sweep), info(Param::shards).maximum));
  // More ranks or shards must not change what a training learns.
  if (sweep.training) values.set(Param::batch_statistics, "batch");
  return values;
}

/// Its kind, then its bytes; a text's number of bytes before them.
void append_key(std::string& key, const Value& value) {
  const auto append = [&](const auto& number) { key.append(reinterpret_cast<const char*>(&number), sizeof number); };
  key += static_cast<char>(value.index());
  if (const auto* flag = std::get_if<bool>(&value)) append(*flag);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) append(*integer);
  if (const auto* number = std::get_if<double>(&value)) append(*number);
  if (const auto* text = std::get_if<std::string>(&value)) {
    append(text->size());
    key += *text;
  }
}

}  // namespace

std::int64_t most_ranks(const Sweep& sweep) {
  std::int64_t ranks = most_ranks_of(sweep.axes);
  for (const auto& include : sweep.includes) ranks = std::max(ranks, most_ranks_of(include));
  for (const When& when : sweep.whens) ranks = std::max(ranks, most_ranks_of(when.axes));
  return ranks;
}

void make_key(std::string& key, const Parameters& values, const std::vector<Param>& params) {
  key.clear();
  for (const Param& param : params) append_key(key, values[param]);
}

Points::Points(const Sweep& sweep) : sweep_(sweep), defaults_(defaults_of(sweep)), only_(levels_of(sweep.only)) {
  for (const When& when : sweep.whens) whens_.push_back(levels_of(when.condition));
  for (const Condition& condition : sweep.excludes) exclusions_.push_back(levels_of(condition));
  parts_.push_back(make_part({}));
  for (const std::vector<Axis>& include : sweep.includes) parts_.push_back(make_part(include));
  for (const Part& part : parts_) {
    for (const Dimension& dimension : part) varying_ |= dimension.mask;
  }
  for (const When& when : sweep.whens) {
    for (const Axis& axis : when.axes) conditional_.set(axis.param);
  }
  varying_.set(Param::repeat, sweep.repeats > 1);
  check_exclusions();
  at_most_ = count();
  if (at_most_ <= max_points) return;
  json::refuse(place_in(sweep, "/axes"),
               {fmt::format("more than {} points (levels of all axes and repeats, multiplied)", max_points),
                "at most that many", ""});
}

Points::Levels Points::levels_of(const Condition& condition) {
  Levels levels;
  for (const auto& [param, values] : condition)
    levels.emplace_back(param, std::unordered_set(values.begin(), values.end()));
  return levels;
}

bool Points::holds(const Levels& condition, const Parameters& values) {
  return std::ranges::all_of(condition, [&](const auto& each) { return each.second.contains(values[each.first]); });
}

/// Whether --only and the optional levels that were not found leave this level.
bool Points::keeps(const Param& param, const Value& level) const {
  return std::ranges::all_of(only_,
                             [&](const auto& kept) { return kept.first != param || kept.second.contains(level); }) &&
         std::ranges::none_of(sweep_.left_out,
                              [&](const LeftOut& left) { return left.param == param && left.level == level; });
}

/// The grid of the sweep's axes, in which `own` ones replace theirs and leave the zips they are in.
Points::Part Points::make_part(const std::vector<Axis>& own) const {
  Part part;
  ParamSet done;
  for (const Axis& axis : sweep_.axes) {
    if (done[axis.param]) continue;
    const Axis* replaced = axis_of(own, axis.param);
    std::vector<const Axis*> axes = {replaced};
    if (replaced == nullptr) {
      axes = together_with(sweep_, axis);
      std::erase_if(axes, [&](const Axis* other) { return axis_of(own, other->param) != nullptr; });
    }
    part.push_back(make_dimension(axes, std::nullopt));
    done |= part.back().mask;
  }
  for (const Axis& axis : own) {
    if (!done[axis.param]) part.push_back(make_dimension({&axis}, std::nullopt));
  }
  for (std::size_t when = 0; when < sweep_.whens.size(); ++when) {
    for (const Axis& axis : sweep_.whens[when].axes) {
      if (axis_of(own, axis.param) == nullptr) part.push_back(make_dimension({&axis}, when));
    }
  }
  leave_out_repeated_draws(part);
  return part;
}

Points::Dimension Points::make_dimension(const std::vector<const Axis*>& axes, std::optional<std::size_t> when) const {
  Dimension dimension;
  dimension.when = when;
  dimension.is_drawn = axes.front()->is_drawn;
  for (const Axis* axis : axes) {
    dimension.params.push_back(axis->param);
    dimension.mask.set(axis->param);
  }
  // A row of a zip that has lost an axis stands once.
  const bool may_repeat =
      std::ranges::any_of(sweep_.zips, [&](const auto& zip) { return contains_param(zip, axes.front()->param); });
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < axes.front()->levels.size(); ++i) {
    std::vector<const Value*> row;
    std::string key;
    for (const Axis* axis : axes) {
      row.push_back(&axis->levels[i]);
      append_key(key, *row.back());
    }
    const bool is_kept =
        std::ranges::all_of(axes, [&](const Axis* axis) { return keeps(axis->param, axis->levels[i]); });
    if (dimension.is_drawn) {
      if (!is_kept) row.clear();
      dimension.rows.push_back(std::move(row));
      continue;
    }
    if (!is_kept) continue;
    if (!may_repeat || seen.insert(key).second) dimension.rows.push_back(std::move(row));
  }
  return dimension;
}

/// Whether each draw differs from all before it in what these dimensions have.
std::vector<bool> Points::new_draws(const Part& part, const Positions& drawn) {
  std::vector<bool> is_new;
  std::unordered_set<std::string> seen;
  for (std::size_t draw = 0; draw < part[drawn.front()].rows.size(); ++draw) {
    std::string key;
    for (const std::size_t dimension : drawn) {
      for (const Value* level : part[dimension].rows[draw]) append_key(key, *level);
    }
    is_new.push_back(seen.insert(key).second);
  }
  return is_new;
}

/// A draw that is another again gives no point, whatever conditions hold.
void Points::leave_out_repeated_draws(Part& part) {
  Positions drawn;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i].is_drawn) drawn.push_back(i);
  }
  if (drawn.empty()) return;
  const std::vector<bool> is_new = new_draws(part, drawn);
  for (const std::size_t dimension : drawn) {
    for (std::size_t draw = 0; draw < is_new.size(); ++draw) {
      if (!is_new[draw]) part[dimension].rows[draw].clear();
    }
  }
}

/// Whether an earlier draw is the same in all that this point has of it. Then both have the same conditions, which rest
/// on what they have, and the earlier one gave this point.
bool Points::is_repeated(Walk& at) {
  if (!at.draw) return false;
  auto known = at.is_new.find(at.drawn);
  if (known == at.is_new.end()) known = at.is_new.emplace(at.drawn, new_draws(at.part, at.drawn)).first;
  return !known->second[*at.draw];
}

void Points::each(const Visit& visit) const {
  std::vector<Walk> starts;
  for (const Part& part : parts_) starts.push_back({part, {defaults_, {}}});
  for (std::int64_t repeat = 0; repeat < sweep_.repeats; ++repeat) {
    if (!keeps(Param::repeat, repeat)) continue;
    for (Walk& start : starts) {
      start.point.values[Param::repeat] = repeat;
      const bool has_exclusions = &start.part == parts_.data();
      walk(start, 0, [&](const Point& at) {
        const auto excludes = [&](const Levels& exclusion) { return holds(exclusion, at.values); };
        if (!has_exclusions || std::ranges::none_of(exclusions_, excludes)) visit(at);
        return true;
      });
    }
  }
}

/// Visits the points of the dimensions from `next` on; false once `visit` gave false.
bool Points::walk(Walk& at, std::size_t next, const std::function<bool(const Point&)>& visit) const {
  if (next == at.part.size()) return is_repeated(at) || visit(at.point);
  const Dimension& dimension = at.part[next];
  if (dimension.when) {
    if (!holds(whens_[*dimension.when], at.point.values)) return walk(at, next + 1, visit);
    if (at.point.given.intersects(dimension.mask)) refuse_given_twice(dimension);
  }
  const auto draw_before = at.draw;
  if (dimension.is_drawn) at.drawn.push_back(next);
  at.point.given |= dimension.mask;
  if (!walk_rows(at, next, visit)) return false;
  for (const Param& param : dimension.params) at.point.values.set(param, defaults_[param]);
  at.point.given -= dimension.mask;
  if (dimension.is_drawn) at.drawn.pop_back();
  at.draw = draw_before;
  return true;
}

/// The same for this dimension, which the point has: its rows, or the one of the draw that the point is of.
bool Points::walk_rows(Walk& at, std::size_t here, const std::function<bool(const Point&)>& visit) const {
  const Dimension& dimension = at.part[here];
  const bool is_one = dimension.is_drawn && at.draw.has_value();
  const std::size_t first = is_one ? *at.draw : 0;
  const std::size_t end = is_one ? first + 1 : dimension.rows.size();
  for (std::size_t at_row = first; at_row < end; ++at_row) {
    const std::vector<const Value*>& row = dimension.rows[at_row];
    if (row.empty()) continue;
    if (dimension.is_drawn) at.draw = at_row;
    for (std::size_t i = 0; i < row.size(); ++i) at.point.values.set(dimension.params[i], *row[i]);
    if (!walk(at, here + 1, visit)) return false;
  }
  return true;
}

void Points::check_exclusions() const {
  for (std::size_t i = 0; i < sweep_.excludes.size(); ++i) {
    for (const auto& [param, values] : sweep_.excludes[i]) {
      if (varying_[param]) continue;
      const std::string name(name_of(param));
      json::refuse(place_in(sweep_, fmt::format("/exclude/{}/{}", i, name)),
                   {fmt::format("the parameter {}, which is no axis of this sweep", json::quote(name)), "an axis", ""});
    }
  }
}

void Points::refuse_given_twice(const Dimension& dimension) const {
  const std::string name(name_of(dimension.params.front()));
  json::refuse(
      place_in(sweep_, fmt::format("/when/{}/axes/{}", *dimension.when, name)),
      {fmt::format("the axis {}, which an earlier \"when\" gives to some of the same points", json::quote(name)),
       "conditions of which at most one holds at a point", ""});
}

/// All that are not excluded, or some number beyond max_points. Only a walk can count the conditional axes.
std::uint64_t Points::count() const {
  const auto repeats = static_cast<std::uint64_t>(sweep_.repeats);
  std::uint64_t points = 0;
  for (const Part& part : parts_) {
    std::uint64_t of_part = repeats;
    for (const Dimension& dimension : part) {
      const auto rows = std::ranges::count_if(dimension.rows, [](const auto& row) { return !row.empty(); });
      if (!dimension.when) of_part = std::min(of_part * static_cast<std::uint64_t>(rows), max_points + 1);
    }
    points += of_part;
  }
  if (points > max_points || whens_.empty()) return points;
  std::uint64_t of_repeat = 0;
  for (const Part& part : parts_) {
    Walk start{part, {defaults_, {}}};
    walk(start, 0, [&](const Point&) { return ++of_repeat * repeats <= max_points; });
  }
  return of_repeat * repeats;
}

}  // namespace regatta::sweep
