#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "regatta/base/files.hpp"
#include "regatta/base/log.hpp"
#include "regatta/results/salvage.hpp"
#include "regatta/results/store.hpp"
#include "results/journal/frames.hpp"
#include "results/journal/journal.hpp"
#include "results/journal/record_codec.hpp"
#include "results/journal/session_plan.hpp"

namespace regatta::results {
namespace {

/// Every journal begins with the record that opens it, the mark that it was synced, a header, a plan and their mark.
constexpr std::uint64_t first_records = 5;
constexpr std::uint64_t records_before_header = 2;

/// Whether a record of this kind is made anew, or missed by nobody.
bool can_be_spared(const Record& record) {
  return is_header(record) || is_plan(record) || record.kind == RecordKind::plan_copy ||
         record.kind == RecordKind::opening || record.kind == RecordKind::durable ||
         record.kind == RecordKind::granted || record.kind == RecordKind::orchestration ||
         record.kind == RecordKind::stop_asked;
}

/// The records around lost ones; null where there is none, or a mark between.
struct Neighbours {
  const Record* before = nullptr;
  const Record* next = nullptr;
};

Neighbours neighbours_of(const Scan& scan, const LostPiece& lost) {
  Neighbours around;
  if (lost.behind > 0) around.before = &scan.records[lost.behind - 1];
  if (lost.behind < scan.records.size()) around.next = &scan.records[lost.behind];
  if (around.before != nullptr && around.before->place.sequence + 1 != lost.place.sequence) around.before = nullptr;
  if (around.next != nullptr && around.next->place.sequence != lost.place.sequence + lost.missing)
    around.next = nullptr;
  return around;
}

/// How many of the records that stand first in every journal are lost at most, if what is lost stood first.
std::uint64_t certain_first(const Scan& scan, const LostPiece& lost) {
  if (lost.behind > 0 || scan.records.empty()) return 0;
  const Record& next = scan.records.front();
  return is_header(next) ? records_before_header : first_records;
}

/// Whether no result can have stood there. Where no head of what is lost can be read the place tells: a header and a
/// plan stand together, and first.
bool cost_no_result(const Scan& scan, const LostPiece& lost) {
  if (lost.missing == 0) return true;
  if (lost.head) return can_be_spared(*lost.head);
  const std::uint64_t end = lost.place.sequence + lost.missing;
  if (end >= scan.next_sequence) return false;  // nothing whole follows, so nothing has counted them
  if (end <= certain_first(scan, lost)) return true;
  const Neighbours around = neighbours_of(scan, lost);
  const bool is_behind_header = around.before != nullptr && is_header(*around.before);
  const bool is_before_plan = around.next != nullptr && is_plan(*around.next) && !is_behind_header;
  return lost.missing == 1 && (is_behind_header || is_before_plan);
}

std::string journal_of(const std::vector<Record>& records) {
  std::string bytes = opening_frame();
  std::uint64_t sequence = 1;
  const auto mark = [&] {
    bytes += frame_of({RecordKind::durable, {}, 0, std::to_string(sequence)}, sequence);
    ++sequence;
  };
  mark();
  for (const Record& record : records) {
    bytes += frame_of(record, sequence++);
    if (sequence == first_records - 1) mark();
  }
  mark();
  return bytes;
}

std::string pieces_text(const Scan& scan) {
  const LostPiece& first = scan.lost.front();
  const std::size_t more = scan.lost.size() - 1;
  return fmt::format("at byte {}: {}{}", first.place.byte, first.why,
                     more == 0 ? "" : fmt::format(", and in {} more place{}", more, more == 1 ? "" : "s"));
}

/// The damaged one is kept before a new one takes its name.
void put_whole_journal(const PosixLogFile& damaged, Scan scan, const GivenSweep& given) {
  const std::filesystem::path journal = damaged.name();
  const std::filesystem::path kept = unused_name(journal.string() + ".damaged");
  write_file_atomically(kept, damaged.read(0, damaged.size_bytes()));
  const WholeSessions whole = whole_sessions(std::move(scan.records), scan.lost, &given, given.sweep.name);
  write_file_atomically(journal, journal_of(whole.records));
  log::warn(
      fmt::format("'{}' was damaged {}; no result was lost: a whole journal stands in its place, and the damaged "
                  "one is kept as '{}'",
                  journal.string(), pieces_text(scan), kept.string()));
}

}  // namespace

Scan resume_store(const std::filesystem::path& folder, const GivenSweep& given, double lock_seconds, Scan before) {
  const std::filesystem::path journal = journal_file(folder);
  if (!std::filesystem::exists(journal)) return {};
  Scan scan = is_still(before, *open_for_reading(journal)) ? std::move(before) : whole_records(journal);
  if (scan.lost.empty()) return read_journal(std::move(scan), journal);
  PosixLogFile damaged(journal);
  damaged.lock(lock_seconds);
  scan = whole_records(journal);
  const bool is_spared =
      std::ranges::all_of(scan.lost, [&](const LostPiece& lost) { return cost_no_result(scan, lost); });
  if (!scan.lost.empty() && is_spared) put_whole_journal(damaged, std::move(scan), given);
  return read_store(folder);
}

}  // namespace regatta::results
