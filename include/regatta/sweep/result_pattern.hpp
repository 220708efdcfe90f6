// The regular expression by which a command finds a number in what its program prints or writes.
#pragma once

#include <regex>
#include <string>

namespace regatta::sweep {

/// Compiles a pattern of ECMAScript's grammar without back-references. A search takes time and stack within bounds,
/// whatever the pattern and the text: a rank that crashes or hangs would end the run. Throws InputError with the
/// reason.
std::regex result_pattern(const std::string& pattern);

}  // namespace regatta::sweep
