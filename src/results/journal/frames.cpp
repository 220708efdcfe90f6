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
constexpr std::array<std::string_view, 9> kind_names = {
    "header", "plan", "agent", "result", "failed_attempt", "session_end", "granted", "plan_again", "durable"};
constexpr std::size_t head_fields = 7;
constexpr std::size_t longest_head = 160;

std::string_view name_of(const Record& record) {
  return record.kind == RecordKind::other ? std::string_view(record.other_kind)
                                          : kind_names.at(static_cast<std::size_t>(record.kind));
}

/// The size of the head with the space behind it; 0 if it does not end in `rest`.
std::size_t head_bytes(std::string_view rest) {
  std::size_t fields = 0;
  for (std::size_t at = 0; at < std::min(rest.size(), longest_head); ++at) {
    if (rest[at] == ' ' && ++fields == head_fields) return at + 1;
  }
  return 0;
}

Frame damaged(const char* why, std::size_t bytes = 0) {
  Frame frame;
  frame.why = why;
  frame.bytes = bytes;
  return frame;
}

Frame torn(std::size_t bytes = 0) {
  Frame frame;
  frame.state = FrameState::torn;
  frame.bytes = bytes;
  return frame;
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

std::string frame_of(const Record& record, std::uint64_t sequence) {
  expect(record.payload.size() <= std::numeric_limits<std::uint32_t>::max(), "a record has less than 4 GiB");
  const std::string head = fmt::format("{} {} {} {} {} {:08x}", sequence, name_of(record), to_string(record.hash),
                                       record.attempt, record.payload.size(), crc32c(record.payload));
  std::string frame = fmt::format("{:08x} {} ", crc32c(head), head);
  frame += record.payload;
  frame += '\n';
  return frame;
}

Frame read_frame(std::string_view rest) {
  const std::size_t head_size = head_bytes(rest);
  if (head_size == 0) {
    // A head holds no newline: one at the end of the file was written with the whole record.
    if (rest.size() < longest_head && rest.back() != '\n') return torn();
    return damaged("what is no record");
  }
  Frame frame;
  Head head;
  std::string_view text = rest.substr(0, head_size - 1);
  const std::string_view crc = take_field(text);
  if (crc != fmt::format("{:08x}", crc32c(text))) return damaged("a record whose checksum does not match");
  if (!parse_head(text, frame, head)) return damaged("what is no record of this version");
  const std::uint64_t size = head_size + head.payload_bytes + 1;
  if (size > rest.size()) return torn(rest.size());
  const std::string_view payload = rest.substr(head_size, head.payload_bytes);
  if (rest[size - 1] != '\n' || crc32c(payload) != head.payload_crc)
    return damaged("a record whose checksum does not match", size);
  frame.record.payload = payload;
  frame.state = FrameState::whole;
  frame.bytes = size;
  return frame;
}

}  // namespace regatta::results
