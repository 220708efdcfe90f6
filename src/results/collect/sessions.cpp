#include <utility>

#include "results/collect/collect.hpp"
#include "results/journal/record_codec.hpp"
#include "results/journal/session_plan.hpp"

namespace regatta::results {

std::vector<SessionRow> sessions_of(const std::vector<Record>& records) {
  std::vector<SessionRow> sessions;
  const Record* said_last = nullptr;
  const auto take_said = [&] {
    if (said_last != nullptr && !sessions.empty()) sessions.back().self = parse_orchestration(*said_last);
    said_last = nullptr;
  };
  for (const Record& record : records) {
    if (is_header(record)) {
      take_said();
      const Provenance provenance = parse_header(record).provenance;
      sessions.push_back({.created = provenance.created, .batch_job = provenance.batch_job});
    }
    if (record.kind == RecordKind::orchestration) said_last = &record;
    if (record.kind == RecordKind::session_end && !sessions.empty()) sessions.back().ended = true;
  }
  take_said();
  return sessions;
}

}  // namespace regatta::results
