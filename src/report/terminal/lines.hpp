// Lines of a terminal that begin with a word.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/terminal/style.hpp"

namespace regatta::report {

/// Lines of `text` behind a word that stands once, in front of the first.
void hanging(std::string& out, std::string_view word, std::size_t indent, const std::string& text, std::size_t columns,
             const Style& style);

}  // namespace regatta::report
