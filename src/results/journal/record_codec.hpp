// Records from and to their structs, in the current version of the journal; those of version 1 are read.
#pragma once

#include <vector>

#include "regatta/results/journal.hpp"
#include "regatta/results/records.hpp"
#include "regatta/sweep/spec.hpp"
#include "results/journal/record_json.hpp"

namespace regatta::results {

/// Identity of a sweep as it was asked for: its text and the axes in force.
Hash128 sweep_hash(const sweep::Sweep& sweep);

Record to_record(const PlanRecord& plan, const Hash128& sweep);
Record to_record(const ResultRecord& result);
Record to_record(const FailedAttemptRecord& attempt);
Record to_record(const GrantedRecord& granted);

/// The same record as this version writes it.
Record in_current_version(const Record& record);

/// The record of a session whose plan is `plan`, which stands in the journal already.
Record plan_again(const Record& plan);
/// The plan among `records` that a record of the kind plan_again stands for. Throws InputError if it is not there.
const Record& whole_plan(const std::vector<Record>& records, const Record& plan);

// These throw InputError naming what the record lacks.
PlanRecord parse_plan(const Record& record);
ResultRecord parse_result(const Record& record);
FailedAttemptRecord parse_failed_attempt(const Record& record);
GrantedRecord parse_granted(const Record& record);

}  // namespace regatta::results
