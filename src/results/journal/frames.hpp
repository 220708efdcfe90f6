// The framing of a journal: records `crc seq kind hash attempt bytes crc payload`, each with a newline behind it. The
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

/// "result", "curve?".
std::string_view kind_name(const Record& record);
std::string frame_of(const Record& record, std::uint64_t sequence);
/// The first record of every journal.
std::string opening_frame();

enum class FrameState { whole, torn, damaged };

/// The record, or the damage, at the front of the rest of a journal.
struct Frame {
  FrameState state = FrameState::damaged;
  bool has_head = false;  ///< its sequence, and its record but for the payload, can be trusted
  std::uint64_t sequence = 0;
  Record record;
  std::size_t text_bytes = 0;  ///< up to its newline, as far as that is known
  std::size_t bytes = 0;       ///< with its newline, or the byte that stands in its place
  std::string why;             ///< it is damaged

  /// Behind its text stands another byte than a newline, or none.
  [[nodiscard]] bool lacks_newline(std::string_view rest) const {
    return text_bytes == bytes || rest[text_bytes] != '\n';
  }
};

/// The frame at the front of what is left of a journal.
Frame read_frame(std::string_view rest);
/// Only its head is looked at; no frame is whole then.
Frame read_frame_head(std::string_view rest);

/// Zero bytes stand there, which a disk leaves behind, or something else.
std::string why_no_record(std::string_view what, const char* otherwise);

}  // namespace regatta::results
