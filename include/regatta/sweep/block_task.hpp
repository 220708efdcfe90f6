// A block as it is handed to whoever measures it: all that the sweep and its plan say about this block, and nothing
// about the others. task_of.hpp makes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "regatta/base/digest.hpp"
#include "regatta/base/ids.hpp"
#include "regatta/model/model.hpp"
#include "regatta/stats/pair_spreads.hpp"
#include "regatta/sweep/family.hpp"
#include "regatta/sweep/intervention.hpp"
#include "regatta/sweep/outcome.hpp"
#include "regatta/sweep/parameters.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// An arm that is not to be run (again), and how it ended.
struct DroppedArm {
  ArmIndex arm;
  FailureKind kind = FailureKind::crashed;
  std::string message;
  bool operator==(const DroppedArm&) const = default;
};

struct ArmTask {
  Parameters parameters;              ///< the trial's, as the intervention changes them
  Intervention intervention;          ///< unchanged in blocks of trials
  std::optional<model::Model> model;  ///< nothing for programs
  std::optional<Command> command;     ///< the program that is run once per step; nothing for workers
  Launch launch = Launch::once;       ///< how the ranks of a loop start; once: it has one process
  std::optional<Dataset> dataset;     ///< samples of the user's own; nothing for those that come with Regatta
  double work_per_step = 1;           ///< samples where the arms are compared by time per sample, else 1
  bool operator==(const ArmTask&) const = default;
};

struct BlockTask {
  BlockIndex block;
  AttemptId attempt;
  Hash128 hash;               ///< the block's identity; it also decides the order of the arms
  std::vector<ArmTask> arms;  ///< with a comparison the baseline comes first
  bool has_baseline = false;
  bool has_clone = false;       ///< both arms are one trial
  bool explains = false;        ///< all arms are one trial, each but the first with one thing changed
  bool confirms = false;        ///< a comparison goes on until its verdict needs no assumption, as far as time goes
  bool takes_one_pair = false;  ///< one value of each arm is enough: it is a replicate beside others
  Measure measure;
  Limits limits;
  double wanted_seconds = 0;           ///< active measuring time that its contrasts ask for
  double planning_seconds = 0;         ///< for so much of it slices and pilots are planned: more gives more pairs
  std::optional<double> wall_seconds;  ///< its share of `measure.total`; nothing: no limit
  /// How pairs of processes like those of arms[1], arms[2], ... and of the baseline scattered before this run, the
  /// clone's among them; empty: nothing is known.
  std::vector<stats::SpreadHistory> spreads;
  std::uint32_t contrasts = 0;   ///< the sweep has: among them its differences must survive as discoveries
  std::vector<Family> families;  ///< for the contrasts of arms[1], arms[2], ...; the clone has none
  std::uint32_t exclusions = 0;  ///< a cell is left out of the fastest where alpha / exclusions may err
  std::optional<Leg> leg = {};   ///< leg to train of its one arm; nothing: the block is measured
  Training training = {};        ///< a leg's, and only there
  Objective objective = {};      ///< the same
  std::vector<DroppedArm> dropped;
  std::string without_device = {};  ///< not empty: arms on a device are not to be run, and why
  std::vector<AgentId> gang = {};   ///< agents that run it together, the leader first; empty: one agent alone
  std::uint32_t tour = 0;           ///< blocks with the same number share their processes; 0: it is measured by itself
  bool operator==(const BlockTask&) const = default;
};

}  // namespace regatta::sweep
