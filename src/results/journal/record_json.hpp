// Records whose payload is JSON: headers, agents, ends of sessions and what orchestration cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regatta/base/error.hpp"
#include "regatta/results/journal.hpp"
#include "regatta/results/records.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::results {

Record to_record(const HeaderRecord& header, const Hash128& sweep);
Record to_record(const AgentRecord& agent, const Hash128& sweep);
Record to_record(const SessionEndRecord& end, const Hash128& sweep);
Record to_record(const Orchestration& self, const Hash128& sweep);

/// The error for a record whose payload does not fit its kind.
InputError unreadable(const Record& record, const char* kind, const std::string& why);

/// The number of a block's attempt, which tables hold as an int32. Throws InputError.
std::uint32_t attempt_of(const Record& record);

// These throw InputError naming what the record lacks.
HeaderRecord parse_header(const Record& record);
AgentRecord parse_agent(const Record& record);
SessionEndRecord parse_session_end(const Record& record);
Orchestration parse_orchestration(const Record& record);  ///< missing fields are not known

/// Axes as JSON text, and back; the second throws InputError.
std::string axes_text(const std::vector<sweep::Axis>& axes);
std::vector<sweep::Axis> parse_axes(const std::string& text);

}  // namespace regatta::results
