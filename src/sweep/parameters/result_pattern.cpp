#include "regatta/sweep/result_pattern.hpp"

#include "regatta/base/error.hpp"

namespace regatta::sweep {

std::regex result_pattern(const std::string& pattern) {
  try {
    return std::regex(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
  } catch (const std::regex_error& error) {
    throw InputError(error.what());
  }
}

}  // namespace regatta::sweep
