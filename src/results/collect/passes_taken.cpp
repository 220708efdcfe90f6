#include "regatta/results/passes_taken.hpp"

#include <optional>
#include <set>

#include "regatta/results/sample_log.hpp"
#include "regatta/results/store.hpp"
#include "results/collect/gather.hpp"
#include "results/journal/record_codec.hpp"
#include "results/journal/session_plan.hpp"

namespace regatta::results {
namespace {

/// Sessions of the sweep's run that goes on, counted from 1.
std::set<std::size_t> sessions_of_run(const std::vector<Record>& records, const Hash128& sweep) {
  std::set<std::size_t> sessions;
  std::size_t session = 0;
  for (const Record& record : records) {
    if (record.kind == RecordKind::header) ++session;
    if (record.hash != sweep) continue;
    if (record.kind == RecordKind::header) sessions.insert(session);
    if (record.kind == RecordKind::session_end && !parse_session_end(record).passes_due) sessions.clear();
  }
  return sessions;
}

double measuring_seconds(const std::vector<stats::Sample>& samples) {
  double seconds = 0;
  for (const stats::Sample& sample : samples) {
    if (stats::is_measuring(sample.phase)) seconds += sample.seconds;
  }
  return seconds;
}

}  // namespace

// Only the end of a session counts the passes before it: one that was killed in a pass takes none, and the next
// session takes up whatever of the pass is still open. What it had replaced by then is in its results.
SessionEndRecord left_by_sessions(const Scan& journal, const sweep::Sweep& sweep) {
  const Hash128 own = sweep_hash(sweep);
  SessionEndRecord left;
  bool last_leaves = false;
  for (const Record& record : journal.records) {
    const bool is_own = record.hash == own;
    if (record.kind == RecordKind::header) {
      last_leaves = true;
      if (is_own) left.passes_due = true;
    } else if (record.kind == RecordKind::session_end) {
      const SessionEndRecord end = parse_session_end(record);
      last_leaves = end.passes_due;
      if (is_own) left = end;
    }
  }
  left.passes_due = left.passes_due || last_leaves;
  return left;
}

double replaced_seconds(const std::filesystem::path& folder, const Scan& journal, const sweep::Sweep& sweep,
                        const sweep::Plan& plan) {
  std::set<Hash128> blocks;
  for (const sweep::Block& block : plan.blocks) {
    if (!block.is_intervention()) blocks.insert(block.hash);
  }
  const std::set<std::size_t> sessions = sessions_of_run(journal.records, sweep_hash(sweep));
  std::optional<SampleLogReader> log;
  double seconds = 0;
  for (const Replaced& replaced : gather(journal.records, blocks).replaced) {
    if (!sessions.contains(replaced.session) || replaced.result.samples.count == 0) continue;
    if (!log) log.emplace(samples_file(folder));
    seconds += measuring_seconds(log->read(replaced.result.samples));
  }
  return seconds;
}

}  // namespace regatta::results
