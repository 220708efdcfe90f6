// The name that a misspelt one probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace regatta {

/// The candidate with the fewest edits to `word`, for "did you mean": empty if none is within a third of the word's
/// length (at least 1) or shares no letter with it.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace regatta
