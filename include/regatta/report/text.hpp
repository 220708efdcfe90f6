// Text that is safe to print and fits into columns: what comes from sweep files, engines and result files may be
// hostile.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::report {

enum class Lines { joined, kept };

/// Valid UTF-8 without control characters, terminal escapes or direction overrides: each becomes U+FFFD, and
/// white space a blank unless lines are kept.
std::string clean(std::string_view text, Lines lines = Lines::joined);

/// The first `columns` columns of clean text, the last one an ellipsis if something was cut.
std::string clip(std::string_view text, std::size_t columns);

/// Clean, with the five characters of HTML escaped: for element content and quoted attributes.
std::string escape(std::string_view text, Lines lines = Lines::joined);

/// A field of comma separated values: in quotes if it must be (RFC 4180).
std::string csv_field(const std::string& text);

/// Columns on a terminal, at one per code point of valid UTF-8 without control characters.
std::size_t width(std::string_view text);

/// Such text cut at blanks into lines of at most `columns`; longer words stand alone.
std::vector<std::string> wrap(std::string_view text, std::size_t columns);

/// Appends the lines of `text`, each after `indent` blanks; what is longer than an engine's message may be is cut.
void paragraph(std::string& out, const std::string& text, std::size_t columns, std::size_t indent);

}  // namespace regatta::report
