#include "regatta/results/lives.hpp"

#include <algorithm>

#include "results/journal/record_codec.hpp"

namespace regatta::results {
namespace {

/// The session that is read.
struct LifeSoFar {
  bool is_open = false;           ///< there is one
  bool has_record = false;        ///< a result, or a failed attempt
  bool has_grant = false;         ///< something ran
  bool was_asked_to_end = false;  ///< or ended in order
};

/// Something is learnt of a block that a session was cut off with: it may be what did it.
bool is_fruitless(const LifeSoFar& life) {
  return life.is_open && !life.has_record && (life.was_asked_to_end || !life.has_grant);
}

}  // namespace

std::size_t fruitless_sessions(const Scan& journal) {
  std::size_t fruitless = 0;
  LifeSoFar life;
  const auto end_life = [&] {
    if (life.is_open) fruitless = is_fruitless(life) ? fruitless + 1 : 0;
  };
  for (const Record& record : journal.records) {
    switch (record.kind) {
      case RecordKind::header:
        end_life();
        life = {.is_open = true};
        break;
      case RecordKind::result:
      case RecordKind::failed_attempt:
        life.has_record = true;
        break;
      case RecordKind::granted:
        life.has_grant = true;
        break;
      case RecordKind::stop_asked:
      case RecordKind::session_end:
        life.was_asked_to_end = true;
        break;
      default:
        break;
    }
  }
  end_life();
  return fruitless;
}

std::optional<double> rerun_since(const Scan& journal) {
  const auto header = std::find_if(journal.records.rbegin(), journal.records.rend(),
                                   [](const Record& record) { return record.kind == RecordKind::header; });
  if (header == journal.records.rend()) return std::nullopt;
  const double since = parse_header(*header).provenance.rerun_since;
  return since > 0 ? std::optional(since) : std::nullopt;
}

}  // namespace regatta::results
