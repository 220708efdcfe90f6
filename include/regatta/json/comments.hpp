// Comments and trailing commas, which people write into JSON files although JSON has no place for them.
#pragma once

#include <string>

namespace regatta::json {

/// The same text with spaces in the place of comments (`// ...`, `/* ... */`) and of commas behind the last element of
/// a list or an object. All other text stands where it stood: lines, columns and bytes agree.
std::string without_comments(std::string text);

}  // namespace regatta::json
