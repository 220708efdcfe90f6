// Version 1 of the journal: lines `crc seq kind hash attempt {json}`. It is read only; a line of this form also opens
// the part of a file that is written in version 2, so that an older Regatta names the version instead of damage.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "regatta/results/journal.hpp"
#include "results/journal/frames.hpp"

namespace regatta::results {

/// The line at the front of what is left of a journal.
Frame read_line(std::string_view rest);

/// The line that opens version 2, with its newline.
std::string opening_line(std::uint64_t sequence);
/// Whether a record is such a line.
bool opens_later_version(const Record& record);

}  // namespace regatta::results
