// Lists of flags: each once, in the order in which they were met.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace regatta::analysis {

/// `list` is comma separated.
void add_flags(std::vector<std::string>& flags, std::string_view list);

}  // namespace regatta::analysis
