#include <algorithm>
#include <vector>

#include "regatta/results/lives.hpp"
#include "results/journal/record_codec.hpp"
#include "results/journal/session_plan.hpp"

namespace regatta::results {
namespace {

/// From the first block to the last.
struct Stretch {
  double start = 0;
  double end = 0;
};

}  // namespace

// Only the end of a session counts the passes before it: one that was killed in a pass takes none, and the next session
// takes up whatever of the pass is still open. Results that it had replaced by then stay replaced.
SessionEndRecord left_by_sessions(const Scan& journal, const sweep::Sweep& sweep) {
  const Hash128 own = sweep_hash(sweep);
  SessionEndRecord left;
  bool last_leaves = false;
  for (const Record& record : journal.records) {
    const bool is_own = record.hash == own;
    if (record.kind == RecordKind::header) {
      last_leaves = true;
      if (!is_own) continue;
      left.passes_due = true;
      left.out_of_reach = false;
    } else if (record.kind == RecordKind::session_end) {
      const SessionEndRecord end = parse_session_end(record);
      last_leaves = end.passes_due;
      if (is_own) left = end;
    }
  }
  left.passes_due = left.passes_due || last_leaves;
  return left;
}

double wall_seconds_of_run(const Scan& journal, const sweep::Sweep& sweep) {
  const Hash128 own = sweep_hash(sweep);
  std::vector<Stretch> sessions;
  bool is_own = false;
  for (const Record& record : journal.records) {
    if (record.kind == RecordKind::header) is_own = record.hash == own;
    if (record.kind == RecordKind::header && is_own) sessions.push_back({});
    const bool ends_run =
        record.kind == RecordKind::session_end && record.hash == own && !parse_session_end(record).passes_due;
    if (ends_run) sessions.clear();
    if (record.kind != RecordKind::result || !is_own || sessions.empty()) continue;
    const ResultHead block = read_result_head(record);
    Stretch& session = sessions.back();
    session.start = session.end == 0 ? block.start_wall_seconds : std::min(session.start, block.start_wall_seconds);
    session.end = std::max(session.end, block.end_wall_seconds);
  }
  double seconds = 0;
  for (const Stretch& session : sessions) seconds += session.end - session.start;
  return seconds;
}

}  // namespace regatta::results
