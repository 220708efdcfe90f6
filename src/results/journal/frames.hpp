// Version 2 of the journal: records `crc seq kind hash attempt bytes crc payload`, each with a newline behind it. The
// head is text; its own checksum, the first, guards the length of the payload, so that a changed byte never looks like
// a record that was cut short. The payload is `bytes` long and holds any bytes.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "regatta/results/journal.hpp"

namespace regatta::results {

/// Takes the text up to the next space off the front.
std::string_view take_field(std::string_view& rest);
bool take_kind(std::string_view& rest, Record& record);
bool take_hash(std::string_view& rest, Hash128& hash);
template <class Integer>
bool take_number(std::string_view& rest, Integer& value, int base = 10) {
  const std::string_view text = take_field(rest);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size();
}

std::string frame_of(const Record& record, std::uint64_t sequence);

enum class FrameState { whole, torn, damaged };

struct Frame {
  FrameState state = FrameState::damaged;
  std::uint64_t sequence = 0;
  Record record;
  std::size_t bytes = 0;  ///< how much of it stands there; 0 if its head is not whole
  std::string why;        ///< it is damaged
};

/// The frame at the front of what is left of a journal.
Frame read_frame(std::string_view rest);

}  // namespace regatta::results
