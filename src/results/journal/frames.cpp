#include "results/journal/frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "regatta/base/crc32c.hpp"
#include "regatta/base/error.hpp"

namespace regatta::results {
namespace {

// In the enum's order. Reserved for what comes: "curve?" (points of a training curve) and "array?" (arrays that a
// result has beyond its samples). A name that ends in '?' may be skipped by who does not know it.
constexpr std::array<std::string_view, 13> kind_names = {
    "header",     "plan",    "agent",      "result",         "failed_attempt", "session_end", "granted",
    "plan_again", "durable", "plan_copy?", "orchestration?", "stop_asked?",    "journal"};
constexpr std::size_t head_fields = 7;
constexpr std::size_t longest_head = 160;
constexpr const char* wrong_checksum = "a record whose checksum does not match";

/// The size of the head with the space behind it; 0 if it does not end in `rest`.
std::size_t head_bytes(std::string_view rest) {
  std::size_t fields = 0;
  for (std::size_t at = 0; at < std::min(rest.size(), longest_head); ++at) {
    if (rest[at] == ' ' && ++fields == head_fields) return at + 1;
  }
  return 0;
}

struct Head {
  std::uint64_t payload_bytes = 0;
  std::uint32_t payload_crc = 0;
};

/// "seq kind hash attempt bytes crc", its checksum already known to be right.
bool parse_head(std::string_view rest, Frame& frame, Head& head) {
  return take_number(rest, frame.sequence) && take_kind(rest, frame.record) && take_hash(rest, frame.record.hash) &&
         take_number(rest, frame.record.attempt) && take_number(rest, head.payload_bytes) &&
         take_number(rest, head.payload_crc, 16);
}

}  // namespace

std::string_view take_field(std::string_view& rest) {
  const std::size_t space = std::min(rest.find(' '), rest.size());
  const std::string_view field = rest.substr(0, space);
  rest.remove_prefix(std::min(space + 1, rest.size()));
  return field;
}

bool take_kind(std::string_view& rest, Record& record) {
  const std::string_view name = take_field(rest);
  const auto kind = std::ranges::find(kind_names, name);
  record.kind = static_cast<RecordKind>(kind - kind_names.begin());
  if (record.kind == RecordKind::other) record.other_kind = name;
  return !name.empty();
}

bool take_hash(std::string_view& rest, Hash128& hash) {
  const std::optional<Hash128> read = parse_hash128(take_field(rest));
  if (read) hash = *read;
  return read.has_value();
}

std::string_view kind_name(const Record& record) {
  return record.kind == RecordKind::other ? std::string_view(record.other_kind)
                                          : kind_names.at(static_cast<std::size_t>(record.kind));
}

std::string frame_of(const Record& record, std::uint64_t sequence) {
  expect(record.payload.size() <= std::numeric_limits<std::uint32_t>::max(), "a record has less than 4 GiB");
  const std::string head = fmt::format("{} {} {} {} {} {:08x}", sequence, kind_name(record), to_string(record.hash),
                                       record.attempt, record.payload.size(), crc32c(record.payload));
  std::string frame = fmt::format("{:08x} {} ", crc32c(head), head);
  frame += record.payload;
  frame += '\n';
  return frame;
}

std::string opening_frame() { return frame_of({RecordKind::opening, {}, journal_version, {}}, 0); }

namespace {

bool is_checksum_of(std::string_view digits, std::string_view text) {
  std::array<char, 8> expected{};
  fmt::format_to_n(expected.data(), expected.size(), "{:08x}", crc32c(text));
  return digits == std::string_view(expected.data(), expected.size());
}

/// The frame of bytes that are no head.
Frame no_head(std::string_view rest) {
  // A head holds no newline: one at the end of the file was written with the whole record.
  const bool may_be_torn = rest.size() < longest_head && rest.back() != '\n';
  Frame frame;
  frame.why = why_no_record(may_be_torn || rest.front() == '\0' ? rest : "", "these bytes are no record");
  if (may_be_torn && rest.find('\0') == std::string_view::npos) frame.state = FrameState::torn;
  return frame;
}

/// The head at the front of `rest`, its checksum known to be right; or what stands there instead.
Frame take_head(std::string_view rest, Head& head) {
  const std::size_t head_size = head_bytes(rest);
  if (head_size == 0) return no_head(rest);
  Frame frame;
  std::string_view text = rest.substr(0, head_size - 1);
  const std::string_view crc = take_field(text);
  if (!is_checksum_of(crc, text)) {
    frame.why = wrong_checksum;
    return frame;
  }
  frame.has_head = parse_head(text, frame, head);
  frame.text_bytes = head_size;
  if (!frame.has_head) frame.why = "it is no record of this version";
  return frame;
}

}  // namespace

std::string why_no_record(std::string_view what, const char* otherwise) {
  const std::size_t zero = what.find('\0');
  if (zero == std::string_view::npos) return otherwise;
  const std::size_t after = std::min(what.find_first_not_of('\0', zero), what.size());
  return fmt::format("{} zero byte(s) where a record should stand", after - zero);
}

Frame read_frame_head(std::string_view rest) {
  Head head;
  return take_head(rest, head);
}

Frame read_frame(std::string_view rest) {
  Head head;
  Frame frame = take_head(rest, head);
  if (!frame.has_head) return frame;
  const std::string_view behind = rest.substr(frame.text_bytes);
  if (head.payload_bytes > behind.size()) {
    frame.state = FrameState::torn;
    return frame;
  }
  const std::string_view payload = behind.substr(0, head.payload_bytes);
  frame.text_bytes += payload.size();
  frame.bytes = std::min(frame.text_bytes + 1, rest.size());
  if (crc32c(payload) != head.payload_crc) {
    frame.why = wrong_checksum;
    return frame;
  }
  if (frame.lacks_newline(rest) && frame.bytes > frame.text_bytes &&
      read_frame_head(rest.substr(frame.text_bytes)).has_head)
    frame.bytes = frame.text_bytes;
  frame.record.payload = payload;
  frame.state = FrameState::whole;
  return frame;
}

}  // namespace regatta::results
