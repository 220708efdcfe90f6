// The JSON inside the journal's records (docs/results.md, "The journal").
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "regatta/results/sample_log.hpp"
#include "regatta/results/store.hpp"

namespace regatta::results {

/// What a plan record holds: enough to expand the sweep again, and to notice if that gives something else.
struct PlanRecord {
  std::string text;               ///< of the sweep file
  std::filesystem::path file;     ///< absolute: anchors relative paths
  std::vector<sweep::Axis> axes;  ///< with the command line's changes
  std::vector<Hash128> trials;    ///< ids, in plan order
  std::vector<Hash128> blocks;
  std::vector<std::string> changes = {};  ///< of the sweep since its text, see sweep::apply_change
};

struct HeaderRecord {
  std::string name;       ///< of the sweep
  Provenance provenance;  ///< without the sweep's text
};

struct ResultRecord {
  BlockRecord block;
  SampleExtent samples;
};

struct FailedAttemptRecord {
  Hash128 block;
  Hash128 trial;
  std::uint32_t attempt = 0;
  sweep::FailureKind kind = sweep::FailureKind::crashed;
  std::string message;
};

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
