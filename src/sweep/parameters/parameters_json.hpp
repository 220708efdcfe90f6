// Values and parameters as JSON at the end of a text.
#pragma once

#include <string>

#include "regatta/sweep/parameters.hpp"

namespace regatta::sweep {

/// A value, or all of them, as to_json gives them, at the end of a text.
void append_json(std::string& out, const Value& value);
void append_json(std::string& out, const Parameters& parameters);

}  // namespace regatta::sweep
