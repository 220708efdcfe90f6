// What the journal's records say, as structs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "regatta/base/digest.hpp"
#include "regatta/results/sample_log.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/sweep/outcome.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::results {

/// How one arm of a block ended.
struct ArmRecord {
  Hash128 trial;
  sweep::Outcome outcome;
  std::string environment;
  std::string engine;
  std::string engine_version;
  double prepare_seconds = 0;
  std::uint64_t peak_bytes = 0;
  std::string verified = "unchecked";  ///< yes | no | unchecked
  std::string verified_detail;         ///< what differed, or why it was not compared
  std::string intervention = {};       ///< sweep::text_of; empty in blocks of trials
  std::string kernels = {};            ///< that the engine chose; empty if it does not tell
};

/// A finished block, as recorded: one entry for each of its arms.
struct BlockRecord {
  Hash128 block;
  std::uint32_t attempt = 0;
  std::uint32_t agent = 0;
  double start_wall_seconds = 0;
  double end_wall_seconds = 0;
  std::vector<std::string> flags;
  std::vector<ArmRecord> arms;
  bool continues = false;       ///< adds squares to an earlier session's result of this block (--rerun undecided)
  bool measured_again = false;  ///< replaces an earlier session's result, for which it was chosen (--rerun fastest)
};

struct AgentRecord {
  std::uint32_t agent = 0;
  Host host;
  Device device;
};

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

}  // namespace regatta::results
