// The contents of the journal's records, as structs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "regatta/base/digest.hpp"
#include "regatta/results/sample_log.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/stats/flags.hpp"
#include "regatta/sweep/arm_outcome.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::results {

/// A finished block, as recorded: one entry for each of its arms.
struct BlockRecord {
  Hash128 block;
  std::uint32_t attempt = 0;
  std::uint32_t agent = 0;
  double start_wall_seconds = 0;
  double end_wall_seconds = 0;
  double own_seconds = 0;  ///< wall time of its visits between start and end, where others took turns with it
  stats::Flags flags;
  std::vector<sweep::ArmOutcome> arms;
  bool continues = false;       ///< adds squares to an earlier session's result of this block (--rerun undecided)
  bool measured_again = false;  ///< a final: its cells were chosen by what earlier sessions recorded of them
  bool interrupted = false;     ///< it is not finished: a drain ended it after a complete square, or a visit did
  std::uint32_t visit = 0;      ///< records of this block that the session had before: adds samples to theirs
  /// Readings of its slot's device, where arms computed on it.
  sweep::DeviceReadings device = {};
};

struct AgentRecord {
  std::uint32_t agent = 0;
  Host host;
  SlotRow slot;
};

/// The contents of a plan record: enough to expand the sweep again, and to notice if that gives something else.
struct PlanRecord {
  std::string text;               ///< the sweep file's
  std::filesystem::path file;     ///< absolute: anchors relative paths
  std::vector<sweep::Axis> axes;  ///< with the command line's changes
  std::vector<Hash128> trials;    ///< ids, in plan order
  std::vector<Hash128> blocks;
  std::vector<std::string> changes = {};  ///< made to the sweep since its text, see sweep::apply_change
};

struct HeaderRecord {
  std::string name;       ///< the sweep's
  Provenance provenance;  ///< without the sweep's text
};

struct ResultRecord {
  BlockRecord block;
  SampleExtent samples;
};

/// A block was handed to an agent.
struct GrantedRecord {
  Hash128 block;
  std::uint32_t attempt = 0;
  std::uint32_t agent = 0;
};

/// The passes that a run took behind its first, each to its end.
struct PassesTaken {
  int again = 0;                  ///< over the best
  int on = 0;                     ///< over the undecided
  bool best_are_settled = false;  ///< nobody of the best is to be measured again
  int early = 0;                  ///< over early verdicts: 1 at most
};

/// A session ended in order.
struct SessionEndRecord {
  bool passes_due = false;    ///< the run is not over: blocks are still to be measured, or again, or on
  PassesTaken taken = {};     ///< by this run until now, over its sessions; kept where passes are due
  bool out_of_reach = false;  ///< all that is left needs more ranks, cores or another device than the session had
};

struct FailedAttemptRecord {
  Hash128 block;
  Hash128 trial;
  std::uint32_t attempt = 0;
  sweep::FailureKind kind = sweep::FailureKind::crashed;
  std::string message;
};

}  // namespace regatta::results
