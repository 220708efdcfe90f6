// Axes that a sweep makes itself: what may be one, and whether somebody reads it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "regatta/json/cursor.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// Whether an axis of this name would be the sweep's own: a place in a model, or what a command reads.
bool may_be_own(const Sweep& sweep, std::string_view name);

/// The row of the parameter table of this name, unless programs of this sweep read an axis of its own by it.
std::optional<Param> find_row(const Sweep& sweep, std::string_view name);

/// Whether a program may read this row in a sweep that runs workers, too: it means the same for both, and nothing is
/// done by it but what the program does.
bool may_be_shared(const Param& row);

/// After the commands and before the axes of the sweep file `root`: a sweep that runs nothing but programs takes the
/// names that they read, such as seed and batch, for axes of its own.
void note_own_rows(const json::Cursor& root, Sweep& sweep);

/// Throws InputError at `place` if results have something else of this name.
void refuse_taken_name(const json::Place& place, std::string_view name);

/// The variable that a program finds an axis in: n -> REGATTA_N; dots and hyphens are underscores there.
std::string variable_of(std::string_view name);

/// The sweep's own axis of this name, if it has one.
std::optional<Param> find_own(const Sweep& sweep, std::string_view name);

/// The kind of its levels, as they are written. In the axis of a place in a model they are of one kind: throws
/// InputError for others.
Param::OwnKind own_kind(std::string_view name, const json::Cursor& levels);

/// The same of texts on the command line.
Param::OwnKind own_kind(const std::vector<std::string>& levels);

/// Throws InputError for an own axis that nobody reads, and for a placeholder without an axis.
void check_own_axes(const Sweep& sweep);

}  // namespace regatta::sweep
