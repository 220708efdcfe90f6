// Text that is safe to show: what comes from sweep files, engines, result files and names of files may be hostile.
#pragma once

#include <string>
#include <string_view>

namespace regatta {

enum class Lines { joined, kept };

/// Valid UTF-8 without control characters, terminal escapes or direction overrides: each becomes U+FFFD, and
/// white space a blank unless lines are kept.
std::string clean(std::string_view text, Lines lines = Lines::joined);

/// JSON in UTF-8 whose texts hold escapes for what clean() replaces: it says the same, and a terminal shows it as it
/// is.
std::string escaped_json(std::string json);

/// Whether all of it is valid UTF-8, as texts in JSON must be.
bool is_utf8(std::string_view text);

/// Whether this byte of UTF-8 is not the first of its code point.
constexpr bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

}  // namespace regatta
