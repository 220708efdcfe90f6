#include "results/journal/lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "regatta/base/crc32c.hpp"

namespace regatta::results {
namespace {

constexpr std::size_t crc_digits = 8;

/// Whether the text is a line; `frame` then has what it says, or else why it is none.
bool parse_line(std::string_view text, Frame& frame) {
  frame.why = "a line that is no record";
  if (text.size() <= crc_digits || text[crc_digits] != ' ') return false;
  std::string_view rest = text.substr(crc_digits + 1);
  frame.why = "a line whose checksum does not match";
  if (text.substr(0, crc_digits) != fmt::format("{:08x}", crc32c(rest))) return false;
  frame.why = "a line that is no record of this version";
  if (!take_number(rest, frame.sequence) || !take_kind(rest, frame.record) || !take_hash(rest, frame.record.hash) ||
      !take_number(rest, frame.record.attempt))
    return false;
  frame.record.payload = rest;
  frame.record.version = 1;
  frame.text_bytes = text.size();
  return true;
}

}  // namespace

Frame read_line(std::string_view rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view text = rest.substr(0, end);
  Frame frame;
  frame.bytes = std::min(end + 1, rest.size());
  const bool is_last = end == rest.size();  // its newline may be lost, or another byte now
  frame.has_head = parse_line(text, frame) || (is_last && parse_line(text.substr(0, end - 1), frame));
  if (frame.has_head) {
    frame.state = FrameState::whole;
    return frame;
  }
  if (is_last && text.find('\0') == std::string_view::npos) frame.state = FrameState::torn;
  frame.why = why_no_record(text, frame.why.c_str());
  return frame;
}

std::string opening_line(std::uint64_t sequence) {
  const std::string body = fmt::format("{} header {} {} {{}}", sequence, to_string(Hash128{}), journal_version);
  return fmt::format("{:08x} {}\n", crc32c(body), body);
}

bool opens_later_version(const Record& record) { return record.kind == RecordKind::header && record.attempt > 1; }

}  // namespace regatta::results
