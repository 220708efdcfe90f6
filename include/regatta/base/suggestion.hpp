// The name that a misspelt one probably meant.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace regatta {

/// The candidate with the fewest edits to `word`, for "did you mean": empty if none is within a third of the word's
/// length (at least 1) or shares no letter with it.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

/// The `most` candidates with the fewest edits to `word`, the nearest first: what to offer where none is near.
std::vector<std::string> nearest_names(std::string_view word, std::vector<std::string> candidates, std::size_t most);

}  // namespace regatta
