#include "measuring/worker_arm.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>

#include "children/worker_death.hpp"
#include "measuring/command_arm.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/sweep/model_of.hpp"

namespace regatta::launcher {
namespace {

using sweep::FailureKind;
using sweep::Param;

constexpr double quick_start_seconds = 0.5;  // such a worker need not be kept for the next block

std::int64_t threads_of(const Arm& arm) {
  const sweep::Value& threads = arm.parameters[Param::threads];
  return std::holds_alternative<std::int64_t>(threads) ? std::get<std::int64_t>(threads) : 1;
}

/// Steps that one call of the arm's loop takes; slices consist of whole calls.
std::int64_t steps_per_call(const Arm& arm) {
  const auto* steps = std::get_if<std::int64_t>(&arm.parameters[Param::steps_per_call]);
  return steps != nullptr ? *steps : 1;
}

std::int64_t whole_calls(const Arm& arm, std::int64_t steps) {
  const std::int64_t call = steps_per_call(arm);
  return (steps + call - 1) / call * call;
}

// An error that the engine reports is final: the same request would give the same answer.
[[noreturn]] void end_arm(const protocol::Error& error) {
  if (error.kind == "unsupported") throw ArmEnded{sweep::Skipped{error.message}};
  const bool memory = error.kind == "out_of_memory";
  throw ArmEnded{sweep::Failed{memory ? FailureKind::out_of_memory : FailureKind::reported, error.message}};
}

template <class Wanted>
Wanted expect_reply(Bench& bench, Worker& worker, const protocol::WorkerReply& reply) {
  if (const auto* wanted = std::get_if<Wanted>(&reply)) return *wanted;
  if (const auto* error = std::get_if<protocol::Error>(&reply)) {
    if (!error->final) bench.pool.kill_for(worker, FailureKind::reported, error->message);
    end_arm(*error);
  }
  bench.pool.kill_for(worker, FailureKind::protocol, "answered with a message that does not belong to the request");
}

// What a worker says about its own time must fit into the time we saw pass.
void judge(Bench& bench, Worker& worker, const protocol::Slice& request, const std::vector<stats::Sample>& samples,
           double seen_seconds) {
  double claimed_seconds = 0;
  std::int64_t steps = 0;
  std::int64_t reentry_steps = 0;
  bool sane = !samples.empty();
  for (const stats::Sample& sample : samples) {
    sane = sane && sample.arm == request.arm.value && sample.slice == request.slice && sample.steps > 0 &&
           std::isfinite(sample.seconds) && sample.seconds >= 0 &&
           (sample.phase == request.phase || sample.phase == stats::Phase::reentry);
    claimed_seconds += sample.seconds;
    (sample.phase == request.phase ? steps : reentry_steps) += sample.steps;
  }
  if (request.phase == stats::Phase::reentry) reentry_steps = request.reentry_steps;
  if (!sane || steps != request.steps || reentry_steps != request.reentry_steps || claimed_seconds > seen_seconds) {
    bench.pool.kill_for(
        worker, FailureKind::protocol,
        fmt::format("reported {} steps and {} re-entry steps in {:.6f} s for a slice of {} and {} that took {:.6f} s; "
                    "its samples cannot be true",
                    steps, reentry_steps, claimed_seconds, request.steps, request.reentry_steps, seen_seconds));
  }
}

std::vector<stats::Sample> worker_slice(Bench& bench, Arm& arm, const protocol::Slice& request) {
  Worker& worker = bench.pool.running_worker(arm.key);
  bench.pool.pause_others(&worker);
  std::vector<stats::Sample> samples;
  const double start = steady_seconds();
  auto piece = expect_reply<protocol::Samples>(bench, worker, bench.pool.ask(worker, request));
  for (;;) {
    samples.insert(samples.end(), piece.samples.begin(), piece.samples.end());
    if (piece.last) break;
    if (samples.size() > static_cast<std::size_t>(request.steps + request.reentry_steps)) break;  // judged below
    piece = expect_reply<protocol::Samples>(bench, worker, bench.pool.await(worker));
  }
  judge(bench, worker, request, samples, steady_seconds() - start);
  return samples;
}

void find_program(Bench& bench, Arm& arm) {
  const sweep::EngineName name = sweep::split_engine(sweep::text_of(arm.parameters, Param::engine));
  auto found = bench.environments.resolve(name, threads_of(arm));
  if (const auto* missing = std::get_if<MissingEnvironment>(&found)) throw ArmEnded{sweep::Skipped{missing->reason}};
  arm.program = std::get<WorkerProgram>(std::move(found));
  arm.key = {arm.program.environment, std::string(name.engine), threads_of(arm),
             arm.own_process ? arm.index.value + 1 : 0, settings_at_import(arm.parameters)};
  arm.report.environment = arm.program.environment;
}

Worker& start_worker(Bench& bench, const Arm& arm) {
  try {
    return bench.pool.warm_worker(arm.key, arm.program, threads_of(arm));
  } catch (const WorkerRefused& refused) {
    end_arm(refused.error);
  }
}

/// The intervention by its name in the protocol, empty if the engine has nothing to do with it. Throws ArmEnded.
std::string asked_of(const Worker& worker, const Arm& arm) {
  if (!sweep::needs_engine(arm.intervention.kind)) return {};
  std::string name = sweep::text_of(arm.intervention);
  if (std::ranges::find(worker.ready.interventions, name) == worker.ready.interventions.end())
    throw ArmEnded{sweep::Skipped{fmt::format("the engine {} does not offer this intervention", worker.ready.engine)}};
  return name;
}

void watch_process(Bench& bench, Arm& arm, pid_t pid) {
  if (!arm.own_process) return;
  if (arm.watch) return arm.watch->follow(pid);
  arm.watch = std::make_shared<DisturbanceWatch>(pid, bench.pool.cpus_for(threads_of(arm)));
}

}  // namespace

void prepare_arm(Bench& bench, Arm& arm) {
  if (!arm.in_worker()) {
    arm.report.environment = "command";
    if (arm.own_process) arm.watch = std::make_shared<DisturbanceWatch>(std::nullopt, bench.pool.cpus_for(1));
    return;
  }
  find_program(bench, arm);
  const auto model = sweep::model_of(bench.sweep, arm.parameters);
  expect(model.has_value(), "a trial of a worker has a model");
  InputPaths inputs;
  try {
    inputs = ensure_inputs(bench.inputs, bench.spawner, arm.parameters, *model, bench.pool.options().timeout_seconds);
  } catch (const InputError& error) {
    throw ArmEnded{sweep::Failed{FailureKind::reported, error.what()}};
  } catch (const CouldNotStart& error) {
    throw ArmEnded{sweep::Failed{FailureKind::could_not_start, error.what()}};
  }
  Worker& worker = start_worker(bench, arm);
  sweep::Facts& facts = arm.report.facts;
  sweep::set(facts, sweep::Fact::engine_version, worker.ready.engine_version);
  const std::string intervention = asked_of(worker, arm);
  bench.pool.pause_others(&worker);
  const double start = steady_seconds();
  const protocol::Prepare request{
      arm.index, sweep::to_json(arm.parameters), model::to_json(*model), inputs.weights, inputs.batches, intervention};
  const auto prepared = expect_reply<protocol::Prepared>(bench, worker, bench.pool.ask(worker, request));
  arm.start_seconds = worker.start_seconds + steady_seconds() - start;  // also of a worker that was warm already
  watch_process(bench, arm, worker.pid);
  if (sweep::number_of(facts, sweep::Fact::prepare_seconds) == 0)
    sweep::set(facts, sweep::Fact::prepare_seconds, prepared.seconds);
  sweep::note_peak_bytes(arm.report, prepared.peak_bytes);
  sweep::merge(facts, prepared.facts);
}

std::vector<stats::Sample> run_slice(Bench& bench, Arm& arm, stats::Phase phase, std::uint32_t slice,
                                     const stats::ArmSlices& length) {
  if (!arm.in_worker()) {
    bench.pool.pause_others(nullptr);
    return run_command_slice(bench, arm, phase, slice, length.steps);
  }
  return worker_slice(bench, arm,
                      {arm.index, phase, slice, whole_calls(arm, length.reentry_steps), whole_calls(arm, length.steps),
                       whole_calls(arm, length.group)});
}

protocol::Checked check(Bench& bench, Arm& arm, std::int64_t steps) {
  Worker& worker = bench.pool.running_worker(arm.key);
  bench.pool.pause_others(&worker);
  return expect_reply<protocol::Checked>(bench, worker,
                                         bench.pool.ask(worker, protocol::Check{arm.index, steps, true}));
}

void release_arm(Bench& bench, const Arm& arm) {
  if (!arm.in_worker() || arm.program.argv.empty() || !bench.pool.has(arm.key)) return;
  try {
    if (arm.own_process && arm.start_seconds < quick_start_seconds) return bench.pool.retire(arm.key);
    bench.pool.ask(bench.pool.running_worker(arm.key), protocol::Release{arm.index});
  } catch (const WorkerDied&) {
    // Nothing is measured any more; the next block starts a fresh worker.
  }
}

}  // namespace regatta::launcher
