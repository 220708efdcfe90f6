// Text that fits into columns, and texts of HTML and of comma separated values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/base/clean.hpp"

namespace regatta::report {

/// The first `columns` columns of clean text, the last one an ellipsis if something was cut.
std::string clip(std::string_view text, std::size_t columns);

/// The same from both ends, the ellipsis between them.
std::string clip_middle(std::string_view text, std::size_t columns);

/// Clean, with the five characters of HTML escaped: for element content and quoted attributes.
std::string escape(std::string_view text, Lines lines = Lines::joined);

/// A clean field of comma separated values: in quotes if it must be (RFC 4180), and behind an apostrophe if a
/// spreadsheet would take it for a formula that calls something.
std::string csv_field(const std::string& text);

/// Columns on a terminal, at one per code point of valid UTF-8 without control characters.
std::size_t width(std::string_view text);

/// Such text cut at blanks into lines of at most `columns`; longer words stand alone.
std::vector<std::string> wrap(std::string_view text, std::size_t columns);

/// Appends the lines of `text`, each after `indent` blanks. A text beyond 600 columns is cut.
void paragraph(std::string& out, const std::string& text, std::size_t columns, std::size_t indent);

}  // namespace regatta::report
