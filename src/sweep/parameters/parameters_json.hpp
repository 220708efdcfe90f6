// Values and parameters as JSON at the end of a text.
#pragma once

#include <string>

#include "regatta/sweep/parameters.hpp"

namespace regatta::sweep {

/// A value, or all of them, as to_json gives them, at the end of a text.
void append_json(std::string& out, const Value& value);
enum class Nulls { written, left_out };
void append_json(std::string& out, const Parameters& parameters, Nulls nulls = Nulls::written);

/// A level of a sweep's own axis as it stands in JSON: a flag is true or false.
std::string own_level_json(const Param& param, const Value& value);

}  // namespace regatta::sweep
