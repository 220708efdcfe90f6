// The levels of one parameter, as an axis, a `when` or an `include` writes them.
#pragma once

#include "regatta/json/cursor.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// What an axis may be where it stands.
struct LevelRules {
  std::optional<std::int64_t> samples;  ///< so many draws of a random axis
  std::int64_t sample_seed = 0;
  bool may_be_random = false;  ///< else levels and ranges only
  bool may_repeat = false;     ///< in a zip, the same level may stand in several rows
};

struct WrittenAxis {
  Axis axis;
  bool is_random = false;
};

/// The parameter of this name and its levels. A model written out, or in a file, joins the sweep's; an engine that was
/// not found ("torch?") joins what is left out. Throws InputError.
WrittenAxis read_axis(const json::Cursor::Member& member, const LevelRules& rules, Sweep& sweep);

/// One level: a scalar that the parameter can have. Throws InputError.
Value read_level(const json::Cursor& cursor, const Param& param, const Sweep& sweep);

}  // namespace regatta::sweep
