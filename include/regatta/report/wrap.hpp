// Text in the columns of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::report {

/// Columns on a terminal, at one per code point of valid UTF-8 without control characters.
std::size_t width(std::string_view text);

/// Such text cut at blanks into lines of at most `columns`; longer words stand alone.
std::vector<std::string> wrap(std::string_view text, std::size_t columns);

}  // namespace regatta::report
