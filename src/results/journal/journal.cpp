#include "regatta/results/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>
#include <thread>

#include "regatta/base/clock.hpp"
#include "regatta/base/crc32c.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/log.hpp"

namespace regatta::results {
namespace {

constexpr std::array<std::string_view, 6> kind_names = {"header", "plan",           "agent",
                                                        "result", "failed_attempt", "session_end"};
constexpr std::size_t crc_digits = 8;
constexpr std::uint64_t largest_journal_bytes = std::uint64_t{1} << 36;
constexpr auto lock_poll = std::chrono::milliseconds(10);

std::string_view name_of(RecordKind kind) { return kind_names.at(static_cast<std::size_t>(kind)); }

std::string crc_text(std::string_view body) { return fmt::format("{:08x}", crc32c(body)); }

template <class Integer>
bool parse_integer(std::string_view text, Integer& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// Takes the text up to the next space off the front.
std::string_view take_field(std::string_view& rest) {
  const std::size_t space = std::min(rest.find(' '), rest.size());
  const std::string_view field = rest.substr(0, space);
  rest.remove_prefix(std::min(space + 1, rest.size()));
  return field;
}

struct Line {
  std::uint64_t sequence = 0;
  Record record;
};

/// "seq kind hash attempt {json}", its checksum already known to be right.
std::optional<Line> parse_body(std::string_view rest) {
  Line line;
  if (!parse_integer(take_field(rest), line.sequence)) return std::nullopt;
  const auto kind = std::find(kind_names.begin(), kind_names.end(), take_field(rest));
  if (kind == kind_names.end()) return std::nullopt;
  line.record.kind = static_cast<RecordKind>(kind - kind_names.begin());
  const std::optional<Hash128> hash = parse_hash128(take_field(rest));
  if (!hash) return std::nullopt;
  line.record.hash = *hash;
  if (!parse_integer(take_field(rest), line.record.attempt)) return std::nullopt;
  line.record.json = rest;
  return line;
}

[[noreturn]] void throw_damaged(const std::filesystem::path& file, std::uint64_t offset, const std::string& what) {
  throw InputError(
      fmt::format("'{}' is damaged at byte {}: {} (what is recorded from there on cannot be trusted); the "
                  "file was left untouched: put back a good copy, or save what is whole with `regatta salvage`",
                  file.string(), offset, what));
}

void refuse_zero_bytes(const std::filesystem::path& file, std::string_view text, std::uint64_t offset) {
  const std::size_t zero = text.find('\0');
  if (zero == std::string_view::npos) return;
  const std::size_t after = std::min(text.find_first_not_of('\0', zero), text.size());
  throw_damaged(file, offset + zero, fmt::format("{} zero byte(s) where text should stand", after - zero));
}

/// "crc seq kind hash attempt {json}"; nothing if anything about it is wrong.
std::optional<Line> parse_line(std::string_view text) {
  if (text.size() <= crc_digits || text[crc_digits] != ' ' || text.find('\0') != std::string_view::npos)
    return std::nullopt;
  const std::string_view body = text.substr(crc_digits + 1);
  if (text.substr(0, crc_digits) != crc_text(body)) return std::nullopt;
  return parse_body(body);
}

/// One whole line without its newline, which starts at `offset`.
Record checked_record(const std::filesystem::path& file, std::string_view text, std::uint64_t offset,
                      std::uint64_t sequence) {
  refuse_zero_bytes(file, text, offset);
  if (text.size() <= crc_digits || text[crc_digits] != ' ') throw_damaged(file, offset, "a line that is no record");
  const std::string_view body = text.substr(crc_digits + 1);
  if (text.substr(0, crc_digits) != crc_text(body)) throw_damaged(file, offset, "a line whose checksum does not match");
  std::optional<Line> line = parse_body(body);
  if (!line) throw_damaged(file, offset, "a line that is no record of this version");
  if (line->record.kind == RecordKind::header && line->record.attempt > journal_version) {
    throw InputError(
        fmt::format("'{}' was written by a newer Regatta (journal version {}, this one reads up to {}); "
                    "use that version, or run into another folder with --out",
                    file.string(), line->record.attempt, journal_version));
  }
  if (line->sequence != sequence) {
    throw_damaged(file, offset, fmt::format("record {} where record {} should stand", line->sequence, sequence));
  }
  return std::move(line->record);
}

UniqueFd open_journal(const std::filesystem::path& file) {
  UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) throw StorageError(errno_text(fmt::format("cannot open '{}'", file.string()), errno));
  return fd;
}

void lock(int fd, const std::filesystem::path& file, double lock_seconds) {
  const Deadline deadline = Deadline::after(lock_seconds);
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) throw StorageError(errno_text(fmt::format("cannot lock '{}'", file.string()), errno));
    if (deadline.passed()) {
      throw InputError(
          fmt::format("'{}' is being written by another run (two writers would mix their results); wait "
                      "for it to end, or run into another folder with --out",
                      file.string()));
    }
    std::this_thread::sleep_for(lock_poll);
  }
}

}  // namespace

Scan scan_journal(const std::filesystem::path& file) {
  Scan scan;
  if (!std::filesystem::exists(file)) return scan;
  const std::string bytes = read_file(file, largest_journal_bytes);
  std::string_view rest = bytes;
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    scan.records.push_back(checked_record(file, rest.substr(0, end), scan.valid_bytes, scan.records.size()));
    scan.valid_bytes += end + 1;
    rest.remove_prefix(end + 1);
  }
  refuse_zero_bytes(file, rest, scan.valid_bytes);
  scan.torn_tail = !rest.empty();
  return scan;
}

Remains whole_records(const std::filesystem::path& file) {
  Remains remains;
  const std::string bytes = read_file(file, largest_journal_bytes);
  std::uint64_t next_sequence = 0;
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    std::optional<Line> line = parse_line(std::string_view(bytes).substr(begin, end - begin));
    if (line && line->sequence >= next_sequence) {
      remains.missing_records += line->sequence - next_sequence;
      next_sequence = line->sequence + 1;
      remains.records.push_back(std::move(line->record));
    } else {
      ++remains.damaged_lines;
    }
    begin = end + 1;
  }
  return remains;
}

JournalWriter::JournalWriter(const std::filesystem::path& file, double lock_seconds)
    : file_(file), fd_(open_journal(file)) {
  lock(fd_.get(), file, lock_seconds);
  const Scan scan = scan_journal(file);
  next_sequence_ = scan.records.size();
  if (scan.torn_tail) {
    log::warn(
        fmt::format("'{}' ends in a half-written record at byte {} (the run before was cut off there); cutting it",
                    file.string(), scan.valid_bytes));
    if (::ftruncate(fd_.get(), static_cast<off_t>(scan.valid_bytes)) != 0) {
      throw StorageError(errno_text(fmt::format("cannot cut '{}'", file.string()), errno));
    }
  }
  sync();
  sync_folder(file.parent_path());
}

void JournalWriter::expect_working() const {
  if (!failed_) return;
  throw StorageError(
      fmt::format("an earlier write to '{}' failed (what reached the disk is unknown); free or repair the "
                  "disk, then run the same command again: it resumes",
                  file_.string()));
}

void JournalWriter::append(const Record& record) {
  expect_working();
  expect(record.json.find_first_of(std::string_view("\n\0", 2)) == std::string::npos, "a record is one line of text");
  const std::string body = fmt::format("{} {} {} {} {}", next_sequence_, name_of(record.kind), to_string(record.hash),
                                       record.attempt, record.json);
  const std::string line = fmt::format("{} {}\n", crc_text(body), body);
  ssize_t wrote = -1;
  do wrote = ::write(fd_.get(), line.data(), line.size());
  while (wrote < 0 && errno == EINTR);
  if (wrote != static_cast<ssize_t>(line.size())) {
    failed_ = true;
    // A short write to a file means that there was no room for the rest.
    throw StorageError(errno_text(fmt::format("cannot write '{}'", file_.string()), wrote < 0 ? errno : ENOSPC));
  }
  ++next_sequence_;
}

void JournalWriter::sync() {
  expect_working();
  if (::fdatasync(fd_.get()) == 0) return;
  // Never again: the kernel may have dropped the pages, and a second call would report success.
  failed_ = true;
  throw StorageError(errno_text(fmt::format("cannot sync '{}'", file_.string()), errno));
}

}  // namespace regatta::results
