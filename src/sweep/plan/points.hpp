// The points of a sweep, one after the other in order (repeats outermost, the last axis fastest), without storing them.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "regatta/sweep/spec.hpp"
#include "sweep/plan/level_table.hpp"

namespace regatta::sweep {

inline constexpr std::uint64_t max_points = 1'000'000;

using ParamSet = std::bitset<param_count>;

inline std::size_t position(Param param) { return static_cast<std::size_t>(param); }

struct Point {
  PointLevels levels{};
  ParamSet given;  ///< parameters that an axis gives a level here; the others have their defaults
};

class Points {
 public:
  /// Throws InputError beyond max_points, counted before any is made; if an exclusion names no axis; if two `when` give
  /// the same parameter to one point.
  explicit Points(const Sweep& sweep);

  [[nodiscard]] const LevelTable& table() const { return table_; }
  /// Parameters that have axes, `repeat` among them if there are several.
  [[nodiscard]] const ParamSet& varying() const { return varying_; }
  /// Those of them that `when` gives to some points only.
  [[nodiscard]] const ParamSet& conditional() const { return conditional_; }

  /// visit(const Point&) for each point that is not excluded.
  template <class Visit>
  void each(const Visit& visit) const {
    Point point;
    for (std::int64_t repeat = 0; repeat < repeats_; ++repeat) {
      if (!keeps_repeat(repeat)) continue;
      point.levels[position(Param::repeat)] = static_cast<LevelId>(repeat);
      for (const Part& part : parts_) {
        walk(part, 0, point, [&](const Point& at) {
          if (!part.has_exclusions || !is_excluded(at.levels)) visit(at);
          return true;
        });
      }
    }
  }

 private:
  /// What varies together: one axis, or several that are zipped.
  struct Dimension {
    std::vector<Param> params;
    std::vector<LevelId> levels;  ///< one for each of `params`, row after row
    std::size_t rows = 0;
    std::optional<std::size_t> when;  ///< there only where this condition holds
    ParamSet mask;
  };
  /// A grid: that of the axes, or one that is included beside it.
  struct Part {
    std::vector<Dimension> dimensions;
    bool has_exclusions = false;
  };
  /// A condition as flags by level.
  using Flags = std::vector<std::pair<std::size_t, std::vector<bool>>>;

  static bool holds(const Flags& flags, const PointLevels& levels);
  [[nodiscard]] bool is_excluded(const PointLevels& levels) const;
  [[nodiscard]] bool keeps_repeat(std::int64_t repeat) const;
  [[noreturn]] void refuse_given_twice(const Dimension& dimension) const;

  /// Visits the points of the dimensions from `next` on; false once `visit` gave false.
  template <class Visit>
  bool walk(const Part& part, std::size_t next, Point& point, const Visit& visit) const {
    if (next == part.dimensions.size()) return visit(point);
    const Dimension& dimension = part.dimensions[next];
    if (dimension.when) {
      if (!holds(whens_[*dimension.when], point.levels)) return walk(part, next + 1, point, visit);
      if ((point.given & dimension.mask).any()) refuse_given_twice(dimension);
    }
    point.given |= dimension.mask;
    const std::size_t width = dimension.params.size();
    for (std::size_t row = 0; row < dimension.rows; ++row) {
      for (std::size_t i = 0; i < width; ++i)
        point.levels[position(dimension.params[i])] = dimension.levels[row * width + i];
      if (!walk(part, next + 1, point, visit)) return false;
    }
    for (const Param param : dimension.params) point.levels[position(param)] = 0;
    point.given &= ~dimension.mask;
    return true;
  }

  void add_limits();
  void add_part(const std::vector<Axis>& own, bool has_exclusions);
  void add_dimension(Part& part, const std::vector<const Axis*>& axes, std::optional<std::size_t> when);
  [[nodiscard]] bool keeps_row(const Dimension& dimension, const std::vector<LevelId>& row) const;
  [[nodiscard]] Flags flags_of(const Condition& condition) const;
  void add_exclusions();
  void refuse_too_many() const;

  const Sweep& sweep_;
  std::int64_t repeats_;
  LevelTable table_;
  ParamSet varying_;
  ParamSet conditional_;
  Flags only_;  ///< what --only keeps
  std::vector<std::pair<Param, LevelId>> left_out_;
  std::vector<Flags> whens_;
  std::vector<Flags> exclusions_;
  std::vector<Part> parts_;
};

}  // namespace regatta::sweep
