// Wrapped lines of clean text.
#pragma once

#include <cstddef>
#include <string>

namespace regatta::report {

/// Appends the lines of `text`, each after `indent` blanks; what is longer than an engine's message may be is cut.
void paragraph(std::string& out, const std::string& text, std::size_t columns, std::size_t indent);

}  // namespace regatta::report
