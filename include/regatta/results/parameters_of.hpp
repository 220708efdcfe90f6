// The parameters that results have: those of the table, and the sweep's own axes.
#pragma once

#include <string_view>
#include <vector>

#include "regatta/results/tables.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::results {

/// The parameters that the sweep names as axes, in file order; one of the sweep's own only if some trial reads it.
std::vector<sweep::Param> axes_of_sweep(const Results& results);

/// Kinds of the levels of a sweep's own axes, in the order of Param::OwnKind.
inline constexpr const char* own_kind_names[] = {"integer", "real", "text", "flag", "json"};

/// A sweep's own axis, its kind by name. Throws InputError for a kind that this version does not know.
sweep::Param own_axis(std::string_view name, std::string_view kind);

/// Gives all levels of an axis one kind, which those of merged files need not have: whole numbers beside real ones are
/// real, anything else beside another is a text.
void unify_own_axes(Results& results);

/// Every parameter of the table, then the sweep's own axes that some trial reads.
std::vector<sweep::Param> all_parameters(const Results& results);

}  // namespace regatta::results
