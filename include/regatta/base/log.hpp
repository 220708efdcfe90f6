// Messages for people, on stderr; results go to stdout elsewhere.
#pragma once

#include <string_view>

namespace regatta::log {

/// One line on stderr, written with a single write() so that ranks do not interleave inside it.
void info(std::string_view text);
void warn(std::string_view text);
void error(std::string_view text);

}  // namespace regatta::log
