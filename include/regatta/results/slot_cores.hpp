// The cores of a slot as text: in the result file, and in the names by which slots are known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace regatta::results {

/// "0,1".
std::string cores_text(const std::vector<int>& cores);

/// Reads cores_text back; empty for what is no such list.
std::vector<int> parse_cores(std::string_view text);

/// "cores 0,1".
std::string name_of_cores(const std::vector<int>& cores);

}  // namespace regatta::results
