// Records from and to their structs.
#pragma once

#include "regatta/base/bytes.hpp"
#include "regatta/base/error.hpp"
#include "regatta/results/journal.hpp"
#include "regatta/results/records.hpp"
#include "results/journal/record_json.hpp"

namespace regatta::results {

Record to_record(const PlanRecord& plan, const Hash128& sweep);
Record to_record(const ResultRecord& result);
Record to_record(const FailedAttemptRecord& attempt);
Record to_record(const GrantedRecord& granted);

/// Reads a binary payload; what does not fit becomes one InputError.
template <class Read>
auto read_bytes(const Record& record, const char* kind, Read&& read) {
  ByteReader in(record.payload);
  try {
    return read(in);
  } catch (const InputError& error) {
    throw unreadable(record, kind, error.what());
  }
}

// These throw InputError naming what the record lacks.
PlanRecord parse_plan(const Record& record);
ResultRecord parse_result(const Record& record);
/// The fields of a result that most readers want.
struct ResultHead {
  bool interrupted = false;
  bool has_failed_arm = false;  ///< or one that had to be skipped where it was
  double start_wall_seconds = 0;
  double end_wall_seconds = 0;
  double own_seconds = 0;
};
/// Refuses what parse_result() refuses, and keeps nothing else: it allocates nothing.
ResultHead read_result_head(const Record& record);
FailedAttemptRecord parse_failed_attempt(const Record& record);
GrantedRecord parse_granted(const Record& record);

}  // namespace regatta::results
