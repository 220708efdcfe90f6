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

/// Throws InputError at `place` if results have something else of this name.
void refuse_taken_name(const json::Place& place, std::string_view name);

/// The variable that a program finds an axis in: n -> REGATTA_N; a dot is an underscore there.
std::string variable_of(std::string_view name);

/// The sweep's own axis of this name, if it has one.
std::optional<Param> find_own(const Sweep& sweep, std::string_view name);

/// The kind of its levels, as they are written: numbers, texts, or true and false. Throws InputError for a mixture.
Param::OwnKind own_kind(const json::Cursor& levels);

/// The same of texts on the command line.
Param::OwnKind own_kind(const std::vector<std::string>& levels);

/// Throws InputError for an own axis that nobody reads, and for a placeholder without an axis.
void check_own_axes(const Sweep& sweep);

}  // namespace regatta::sweep
