// The sections of a sweep file: each reads its own key into the sweep. Errors as in reader.hpp.
#pragma once

#include <string>

#include "sweep/cursor.hpp"

namespace regatta::sweep {

/// Before the axes, whose levels name them.
void read_environments(const Cursor& cursor, Sweep& sweep);
void read_commands(const Cursor& cursor, Sweep& sweep);

/// Axes, and the models written out among their levels.
void read_axes(const Cursor& cursor, Sweep& sweep);

/// After the axes.
void read_excludes(const Cursor& cursor, Sweep& sweep);
void read_compare(const Cursor& cursor, Sweep& sweep);

void read_measure(const Cursor& cursor, Measure& measure);
void read_limits(const Cursor& cursor, Limits& limits);

}  // namespace regatta::sweep
