// One arm of a block while it is measured: a model inside a worker, or a program run once per step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "children/inputs.hpp"
#include "children/installations.hpp"
#include "children/worker_pool.hpp"
#include "measuring/disturbance.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/results/calibration.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/stats/samples.hpp"
#include "regatta/stats/slices.hpp"
#include "regatta/sweep/arm_outcome.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::launcher {

/// What an agent measures with.
struct Bench {
  const sweep::Sweep& sweep;
  const sweep::Plan& plan;
  SpawnerClient& spawner;
  WorkerPool& pool;
  EnvironmentResolver& environments;
  InputStore inputs;
  results::Host host;        ///< read once: it costs a walk through the whole topology
  std::size_t sharing_arms;  ///< of `measure.total`
  double floor;              ///< of identical code here, as far as known
  std::optional<results::Calibration> calibration = std::nullopt;  ///< of the slot, once a comparison needed it
  bool calibration_tried = false;
  double unused_seconds = 0;  ///< of earlier blocks' shares of `measure.total`: those still undecided get it
};

/// An arm ended without dying: it is skipped, or failed for a reason that repeating does not change.
struct ArmEnded {
  sweep::Outcome outcome;
};

struct Arm {
  ArmIndex index;
  sweep::Parameters parameters;      ///< of its trial, as its intervention changes them
  sweep::Intervention intervention;  ///< unchanged in blocks of trials
  bool own_process = false;          ///< arms that are compared share no process
  ProcessKey key;                    ///< unused by programs
  WorkerProgram program;
  const sweep::Command* command = nullptr;  ///< set for the engine `command`
  sweep::ArmOutcome report;
  std::shared_ptr<DisturbanceWatch> watch;  ///< of its process, while it is compared
  double start_seconds = 0;       ///< of its process, imports included, and to prepare it there, the last time
  double step_seconds = 0;        ///< from the pilot
  std::int64_t warmup_steps = 0;  ///< of a fresh process, from the pilot

  [[nodiscard]] bool in_worker() const { return command == nullptr; }
};

/// Finds the installation, starts the worker if it does not run, builds the model. Throws ArmEnded or WorkerDied.
void prepare_arm(Bench& bench, Arm& arm);

/// Runs one slice and returns its samples, re-entry included; more steps than asked for where a call of the arm's loop
/// takes several. Throws ArmEnded or WorkerDied.
std::vector<stats::Sample> run_slice(Bench& bench, Arm& arm, stats::Phase phase, std::uint32_t slice,
                                     const stats::ArmSlices& length);

/// What the first steps compute, for the same-work check. Throws like run_slice.
protocol::Checked check(Bench& bench, Arm& arm, std::int64_t steps);

/// Frees what the arm holds in its worker, if that still lives; a worker of its own that is quickly started again ends.
void release_arm(Bench& bench, const Arm& arm);

}  // namespace regatta::launcher
