#include "results/journal/lines.hpp"

#include <fmt/format.h>

#include "regatta/base/crc32c.hpp"
#include "results/journal/frames.hpp"

namespace regatta::results {
namespace {

constexpr std::size_t crc_digits = 8;

}  // namespace

std::optional<Line> parse_line(std::string_view text, std::string& why) {
  why = "a line that is no record";
  if (text.size() <= crc_digits || text[crc_digits] != ' ') return std::nullopt;
  std::string_view rest = text.substr(crc_digits + 1);
  why = "a line whose checksum does not match";
  if (text.substr(0, crc_digits) != fmt::format("{:08x}", crc32c(rest))) return std::nullopt;
  why = "a line that is no record of this version";
  Line line;
  if (!take_number(rest, line.sequence) || !take_kind(rest, line.record) || !take_hash(rest, line.record.hash) ||
      !take_number(rest, line.record.attempt))
    return std::nullopt;
  line.record.payload = rest;
  line.record.version = 1;
  return line;
}

std::string opening_line(std::uint64_t sequence) {
  const std::string body = fmt::format("{} header {} {} {{}}", sequence, to_string(Hash128{}), journal_version);
  return fmt::format("{:08x} {}\n", crc32c(body), body);
}

bool opens_later_version(const Record& record) { return record.kind == RecordKind::header && record.attempt > 1; }

}  // namespace regatta::results
