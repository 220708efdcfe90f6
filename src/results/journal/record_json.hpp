// The JSON inside the journal's records (docs/results.md, "The journal").
#pragma once

#include "regatta/results/journal.hpp"
#include "regatta/results/records.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::results {

/// Identity of a sweep as it was asked for: its text and the axes in force.
Hash128 sweep_hash(const sweep::Sweep& sweep);

Record to_record(const HeaderRecord& header, const Hash128& sweep);
Record to_record(const PlanRecord& plan, const Hash128& sweep);
Record to_record(const AgentRecord& agent, const Hash128& sweep);
Record to_record(const ResultRecord& result);
Record to_record(const FailedAttemptRecord& attempt);

// These throw InputError naming what the record lacks.
HeaderRecord parse_header(const Record& record);
PlanRecord parse_plan(const Record& record);
AgentRecord parse_agent(const Record& record);
ResultRecord parse_result(const Record& record);
FailedAttemptRecord parse_failed_attempt(const Record& record);

}  // namespace regatta::results
