// The points of a sweep, one after the other in order (repeats outermost, the last axis fastest), without storing them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

inline constexpr std::uint64_t max_points = 1'000'000;

/// The values of these parameters as bytes: equal for equal values and for no others.
void make_key(std::string& key, const Parameters& values, const std::vector<Param>& params);

/// The largest level of `ranks` that is written anywhere; 1 where there is none.
std::int64_t most_ranks(const Sweep& sweep);

struct Point {
  Parameters values;  ///< a value of every parameter, whether it is read here or not
  ParamSet given;     ///< parameters that an axis gives a level here; the others have their defaults
};

class Points {
 public:
  using Visit = std::function<void(const Point&)>;

  /// Throws InputError beyond max_points, counted before any is made; if an exclusion names no axis; if two `when` give
  /// the same parameter to one point. The sweep must outlive it.
  explicit Points(const Sweep& sweep);

  /// Parameters that have axes, `repeat` among them if there are several.
  [[nodiscard]] const ParamSet& varying() const { return varying_; }
  /// The varying parameters that `when` gives to some points only.
  [[nodiscard]] const ParamSet& conditional() const { return conditional_; }

  /// How many there are, exclusions left aside.
  [[nodiscard]] std::size_t at_most() const { return at_most_; }

  /// Visits each point that is not excluded.
  void each(const Visit& visit) const;

 private:
  /// Parameters that vary together: one axis, or several that are zipped, or drawn.
  struct Dimension {
    std::vector<Param> params;
    /// A level of each of `params`. If they are drawn, row i is that of draw i, and empty if no point has it.
    std::vector<std::vector<const Value*>> rows;
    std::optional<std::size_t> when;  ///< there only where this condition holds
    ParamSet mask;
    bool is_drawn = false;
  };
  /// A grid: that of the axes, or one that is included beside it.
  using Part = std::vector<Dimension>;
  /// A condition that is quick to check.
  using Levels = std::vector<std::pair<Param, std::unordered_set<Value>>>;
  /// Positions of dimensions in their part.
  using Positions = std::vector<std::size_t>;
  /// A point in the making.
  struct Walk {
    const Part& part;
    Point point;
    std::optional<std::size_t> draw = {};  ///< from its first drawn dimension on
    Positions drawn = {};                  ///< the drawn dimensions that this point has
    /// By the drawn dimensions of a point: whether a draw differs there from all draws before it.
    std::map<Positions, std::vector<bool>> is_new = {};
  };

  static Levels levels_of(const Condition& condition);
  static bool holds(const Levels& condition, const Parameters& values);
  [[nodiscard]] bool keeps(const Param& param, const Value& level) const;
  [[nodiscard]] Part make_part(const std::vector<Axis>& own) const;
  [[nodiscard]] Dimension make_dimension(const std::vector<const Axis*>& axes, std::optional<std::size_t> when) const;
  void check_exclusions() const;
  static std::vector<bool> new_draws(const Part& part, const Positions& drawn);
  static void leave_out_repeated_draws(Part& part);
  static bool is_repeated(Walk& at);
  [[nodiscard]] std::uint64_t count() const;
  [[noreturn]] void refuse_given_twice(const Dimension& dimension) const;
  bool walk(Walk& at, std::size_t next, const std::function<bool(const Point&)>& visit) const;
  bool walk_rows(Walk& at, std::size_t here, const std::function<bool(const Point&)>& visit) const;

  const Sweep& sweep_;
  Parameters defaults_;
  Levels only_;  ///< the levels that --only keeps
  std::vector<Levels> whens_;
  std::vector<Levels> exclusions_;
  std::vector<Part> parts_;  ///< exclusions touch the first
  ParamSet varying_;
  ParamSet conditional_;
  std::size_t at_most_ = 0;
};

}  // namespace regatta::sweep
