// What people write into a JSON file although JSON has no place for it.
#pragma once

#include <string>

namespace regatta::json {

/// The same text with spaces in the place of comments (`// ...`, `/* ... */`) and of commas behind the last element of
/// a list or an object. What is left stands where it stood: lines, columns and bytes agree.
std::string without_comments(std::string text);

}  // namespace regatta::json
