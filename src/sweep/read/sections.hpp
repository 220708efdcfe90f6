// The sections of a sweep file: each reads its own key into the sweep. Errors as in reader.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regatta/json/cursor.hpp"
#include "regatta/sweep/spec.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {

/// The keys of a sweep file, in the order of docs/reference/sweep-file.md.
const std::vector<std::string>& sweep_keys();

/// Before the axes, whose levels name them.
void read_environments(const json::Cursor& cursor, Sweep& sweep);
void read_commands(const json::Cursor& cursor, Sweep& sweep);
void read_datasets(const json::Cursor& cursor, Sweep& sweep);

/// The names that go together; before the axes, which may then repeat a level.
void read_zips(const json::Cursor& cursor, Sweep& sweep);

/// Axes, and the models written out among their levels. Random ones become a zip of their own; whether there are any.
bool read_axes(const json::Cursor& cursor, const LevelRules& rules, Sweep& sweep);

/// After the axes: zips of as many levels each.
void check_zips(const json::Cursor& cursor, const Sweep& sweep);

/// After the axes, in this order.
void read_whens(const json::Cursor& cursor, Sweep& sweep);
void read_includes(const json::Cursor& cursor, Sweep& sweep);
void read_excludes(const json::Cursor& cursor, Sweep& sweep);
void read_compare(const json::Cursor& cursor, Sweep& sweep);

/// Refuses a name, written at this place, under which no result can stand.
void need_result_name(const json::Cursor& cursor, const std::string& name);

/// Numbers that a command's runs have to tell; after its folder, in which some of them stand.
void read_results(const json::Cursor& cursor, Command& command);

void read_measure(const json::Cursor& cursor, Measure& measure);

/// The most that limits.failures may be.
inline constexpr std::int64_t most_failures = 1'000'000;

void read_limits(const json::Cursor& cursor, Limits& limits);

}  // namespace regatta::sweep
