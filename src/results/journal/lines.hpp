// Version 1 of the journal: lines `crc seq kind hash attempt {json}`. It is read only; a line of this form also opens
// the part of a file that is written in version 2, so that an older Regatta names the version instead of damage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "regatta/results/journal.hpp"

namespace regatta::results {

struct Line {
  std::uint64_t sequence = 0;
  Record record;
};

/// A whole line without its newline; nothing if anything about it is wrong. `why` then says what.
std::optional<Line> parse_line(std::string_view text, std::string& why);

/// The line that opens version 2, with its newline.
std::string opening_line(std::uint64_t sequence);
/// Whether a record is such a line.
bool opens_later_version(const Record& record);

}  // namespace regatta::results
