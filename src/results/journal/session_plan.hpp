// A session's plan among the records of the journal: recorded, named again, or copied where the session ends.
#pragma once

#include <vector>

#include "regatta/results/journal.hpp"
#include "regatta/results/records.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::results {

inline bool is_header(const Record& record) { return record.kind == RecordKind::header; }
/// Whether it tells the plan of its session: itself, or by naming an earlier one.
inline bool is_plan(const Record& record) {
  return record.kind == RecordKind::plan || record.kind == RecordKind::plan_again;
}

/// Identity of a sweep as it was asked for: its text and the axes in force.
Hash128 sweep_hash(const sweep::Sweep& sweep);

PlanRecord plan_record(const sweep::Sweep& sweep, const sweep::Plan& plan);

/// The sweep of a plan that `record` holds. Throws InputError.
sweep::Sweep sweep_of(const PlanRecord& plan, const Record& record);

/// Whether this very plan stands among the records.
bool holds_plan(const std::vector<Record>& records, const Record& plan);
/// The record of a session whose plan is `plan`, which stands in the journal already.
Record plan_again(const Record& plan);
/// The plan among `records` that a record of the kind plan_again stands for. Throws InputError if it is not there.
const Record& whole_plan(const std::vector<Record>& records, const Record& plan);

/// The contents of `header` and `plan`, for the end of the session: a damaged line costs no more than itself. The ids
/// of trials and blocks, nearly all of a plan, are left out. The copy keeps the data that make them anew, and a hash
/// that tells whether it worked.
Record plan_copy(const Record& header, const PlanRecord& plan, const Record& record);

struct PlanCopy {
  Record header;
  PlanRecord plan;  ///< without ids
  Hash128 wanted;   ///< hash: the payload of the plan is to have it
};
/// Throws InputError.
PlanCopy parse_plan_copy(const Record& copy);
/// The plan's record again. Throws InputError, also if this version makes other trials of the sweep.
Record plan_of(const Record& copy);

}  // namespace regatta::results
