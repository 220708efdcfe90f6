#include "measuring/worker_arm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "children/compile_caches.hpp"
#include "host/proc_counters.hpp"
#include "measuring/measuring.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/digest.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/log.hpp"
#include "regatta/exchange/shared_memory.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/stats/cold_starts.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/program_results.hpp"

namespace regatta::launcher {
namespace {

using measure::ArmEnded;
using sweep::FailureKind;
using sweep::Param;

constexpr double quick_start_seconds = 0.5;  // such a worker need not be kept for the next block

class WorkerArm : public WorkerOfArm {
 public:
  WorkerArm(AgentSlot& slot, const sweep::ArmTask& task, ArmPlace place)
      : slot_(slot),
        task_(task),
        place_(place),
        caches_(slot.run_folder),
        threads_(sweep::threads_of(task.parameters)),
        steps_per_call_(sweep::steps_per_call(task.parameters)) {}

  measure::Prepared prepare() override;
  measure::Prepared renew() override;
  measure::SliceResult slice(const measure::SliceRequest& request) override;
  sweep::Learned train(const measure::TrainRequest& request) override {
    return train_from(checkpoint_of(request), request);
  }
  protocol::Checked check(std::int64_t steps, protocol::CheckAs as) override;
  void park() override;
  void resume() override;
  void evict() override;
  void clear() override;
  void release() override;
  [[nodiscard]] sweep::ArmOutcome report() const override;
  bool send_ahead(const std::vector<measure::SliceRequest>& slices) override;
  bool begin(const std::vector<int>& cpus) override;
  bool await_begun() override;
  [[nodiscard]] std::int64_t threads() const override { return threads_; }
  [[nodiscard]] const std::string& member() const override { return member_; }
  [[nodiscard]] const std::string& arithmetic() const override { return arithmetic_; }
  void join(const std::vector<std::string>& members, const std::string& stop) override;
  void lead(std::map<std::string, std::string> variables, std::function<bool()> is_given_up) override {
    of_rank_ = std::move(variables);
    is_given_up_ = std::move(is_given_up);
  }
  [[nodiscard]] std::optional<WorkerId> process() const override {
    return slot_.pool.has(key_) ? std::optional(slot_.pool.running_worker(key_).id) : std::nullopt;
  }
  [[nodiscard]] std::filesystem::path checkpoint_of(const measure::TrainRequest& request) const override;
  sweep::Learned train_from(const std::filesystem::path& checkpoint, const measure::TrainRequest& request) override;

 private:
  void find_program();
  InputPaths find_inputs();
  Worker& start_worker();
  std::string intervention_of(const Worker& worker) const;
  void judge_learned(Worker& worker, const sweep::Learned& learned, double seen_seconds);
  [[nodiscard]] stats::Sample part(stats::Phase phase, double start, double seconds) const;
  void watch_process(pid_t pid);
  bool finds_compiled(const Worker& worker);
  void watch_memory(const Worker& worker);
  void note_memory(protocol::ProcessMemory& memory);
  Worker& worker() { return slot_.pool.running_worker(key_); }
  protocol::Prepare prepare_request(const std::string& intervention);
  [[nodiscard]] protocol::Slice slice_request(const measure::SliceRequest& request) const;
  measure::SliceResult slice_once(const measure::SliceRequest& request);
  void judge_prepared(Worker& worker, const protocol::Prepared& prepared, double sent_seconds);
  std::vector<stats::Sample> samples_of(Worker& worker, const protocol::Slice& request);
  void take_results(const sweep::ProgramResults& told);
  [[nodiscard]] double last_of(const std::string& name) const;
  void take_facts(sweep::Facts told);
  void judge(Worker& worker, const protocol::Slice& request, const std::vector<stats::Sample>& samples,
             double seen_seconds);
  [[nodiscard]] bool is_on_device() const { return sweep::device_kind_of(task_.parameters) != sweep::DeviceKind::cpu; }
  [[nodiscard]] std::int64_t whole_calls(std::int64_t steps) const {
    return (steps + steps_per_call_ - 1) / steps_per_call_ * steps_per_call_;
  }
  template <class Wanted>
  Wanted expect_reply(Worker& worker, const protocol::WorkerReply& reply);

  AgentSlot& slot_;
  const sweep::ArmTask& task_;
  ArmPlace place_;
  CompileCaches caches_;
  std::optional<Hash128> fills_;  ///< the trial whose first step in this process leaves something in them
  std::int64_t threads_;
  std::int64_t steps_per_call_;  ///< slices consist of whole calls
  WorkerProgram program_;
  ProcessKey key_;
  std::optional<DisturbanceWatch> watch_;  ///< watches its process while it is compared
  std::optional<MemorySource> memory_;     ///< nothing where its process works ahead of the answers that are read
  bool is_scored_ = false;                 ///< its process has run scored steps
  double start_seconds_ = 0;
  double prepare_seconds_ = 0;
  sweep::ArmOutcome report_;
  sweep::Facts told_;              ///< after the last slice
  sweep::ProgramResults results_;  ///< by process
  std::size_t processes_ = 0;      ///< before the one that runs
  std::optional<InputPaths> inputs_;
  std::optional<protocol::Prepare> sent_;       ///< ahead
  std::string member_;                          ///< path by which other ranks find its process
  std::map<std::string, std::string> of_rank_;  ///< variables for the process, where it is rank 0 of a loop
  std::function<bool()> is_given_up_;           ///< the same: asked while it is waited for
  std::string arithmetic_;                      ///< ranks that tell the same give the same bits
};

template <class Wanted>
Wanted WorkerArm::expect_reply(Worker& worker, const protocol::WorkerReply& reply) {
  if (const auto* wanted = std::get_if<Wanted>(&reply)) return *wanted;
  if (const auto* error = std::get_if<protocol::Error>(&reply)) {
    if (!error->final) slot_.pool.kill_for(worker, kind_of(*error), error->message);
    const bool is_full = is_on_device() && kind_of(*error) == FailureKind::out_of_memory;
    if (is_full) slot_.pool.retire(key_);  // it may hold memory of the device that the next trial needs
    end_arm(*error, program_.code);
  }
  slot_.pool.kill_for(worker, FailureKind::protocol, "answered with a message that does not belong to the request");
}

void WorkerArm::find_program() {
  const sweep::EngineName name = sweep::split_engine(sweep::text_of(task_.parameters, Param::engine));
  auto found = slot_.environments.resolve(name, threads_);
  if (const auto* missing = std::get_if<MissingEnvironment>(&found))
    throw ArmEnded{sweep::Skipped{missing->reason, sweep::SkipKind::not_installed}};
  program_ = std::get<WorkerProgram>(std::move(found));
  for (const auto& [variable, value] : of_rank_) program_.variables.insert_or_assign(variable, value);
  key_ = {program_.environment, std::string(name.engine), threads_, place_.own_process ? place_.index.value + 1 : 0,
          settings_at_import(task_.parameters)};
  report_.environment = program_.environment;
}

InputPaths WorkerArm::find_inputs() {
  try {
    return ensure_inputs(slot_.inputs, slot_.spawner, task_, place_.trains, slot_.pool.options().timeout_seconds);
  } catch (const DoesNotFit& error) {
    if (place_.trains) throw ArmEnded{sweep::Skipped{error.what()}};
    const std::string message = fmt::format("cannot make weights and batches: {}", error.what());
    throw ArmEnded{sweep::Failed{FailureKind::reported, message}};
  } catch (const InputError& error) {
    throw ArmEnded{sweep::Failed{FailureKind::reported, error.what()}};
  } catch (const CouldNotStart& error) {
    throw ArmEnded{sweep::Failed{FailureKind::could_not_start, error.what()}};
  }
}

Worker& WorkerArm::start_worker() {
  try {
    Worker& worker = slot_.pool.warm_worker(key_, program_, threads_);
    worker.is_watched = static_cast<bool>(is_given_up_);
    return worker;
  } catch (const WorkerRefused& refused) {
    end_arm(refused.error, program_.code);
  }
}

/// The intervention by its name in the protocol, empty if the engine has nothing to do with it.
std::string WorkerArm::intervention_of(const Worker& worker) const {
  if (!sweep::needs_engine(task_.intervention.kind)) return {};
  std::string name = sweep::text_of(task_.intervention);
  if (std::ranges::find(worker.ready.interventions, name) == worker.ready.interventions.end())
    throw ArmEnded{sweep::Skipped{fmt::format("the engine {} does not offer this intervention", worker.ready.engine)}};
  return name;
}

void WorkerArm::watch_process(pid_t pid) {
  if (!place_.own_process) return;
  if (watch_) return watch_->follow(pid);
  watch_.emplace(pid, slot_.pool.cpus_for(threads_));
}

/// Whether its process, which has compiled nothing of this trial, finds compiled what an earlier one left.
bool WorkerArm::finds_compiled(const Worker& worker) {
  fills_.reset();
  const bool begins = worker.fresh || place_.own_process;  // code that another block's arm compiled there is forgotten
  if (!begins || !keeps_compiled(key_.engine)) return false;
  const Hash128 trial =
      hash128(fmt::format("{} {} {} {}", sweep::to_json(task_.parameters), model::to_json(*task_.model),
                          sweep::text_of(task_.intervention), report_.environment));
  if (caches_.are_warm(trial)) return true;
  fills_ = trial;
  return false;
}

/// From now on what its process uses is counted for this arm; that of earlier ones is not.
void WorkerArm::watch_memory(const Worker& worker) {
  memory_.reset();
  is_scored_ = false;
  if (!worker.ahead.empty()) return;  // it may serve the next trial by the time its answers are read
  if (!worker.fresh) forget_peak_of(worker.pid);
  memory_.emplace(worker.pid);
}

void WorkerArm::note_memory(protocol::ProcessMemory& memory) {
  if (!memory_) return;
  const MemorySource::Resident now = memory_->read();
  memory.peak_bytes = now.peak_bytes;
  memory.resident_bytes = now.now_bytes;
}

/// A sample that tells how a process began.
stats::Sample WorkerArm::part(stats::Phase phase, double start, double seconds) const {
  return {.arm = static_cast<std::uint16_t>(place_.index.value),
          .phase = phase,
          .steps = 0,
          .start_seconds = start,
          .seconds = seconds};
}

measure::Prepared WorkerArm::prepare() {
  find_program();
  expect(task_.model.has_value(), "a trial of a worker has a model");
  if (!inputs_) inputs_ = find_inputs();  // once for all processes: what the files hold is looked at whole
  Worker& started = start_worker();
  sweep::set(report_.facts, sweep::Fact::engine_version, started.ready.engine_version);
  const std::string intervention = intervention_of(started);
  slot_.pool.pause_others(&started);   // also what other blocks left warm
  started.is_given_up = is_given_up_;  // no more by ranks of another trial
  watch_memory(started);
  processes_ = sweep::runs_of(results_);
  const bool is_warm = finds_compiled(started);
  const protocol::WorkerRequest request = prepare_request(intervention);
  const double sent_seconds = sent_at(started);
  const auto prepared = expect_reply<protocol::Prepared>(started, slot_.pool.ask(started, request));
  judge_prepared(started, prepared, sent_seconds);
  const double start = prepared.start_seconds.value_or(sent_seconds);
  prepare_seconds_ = prepared.seconds;
  member_ = prepared.member;
  arithmetic_ = prepared.arithmetic;
  const double took_seconds = prepared.start_seconds ? prepared.seconds : steady_seconds() - sent_seconds;
  if (!started.began_beside) start_seconds_ = started.start_seconds + took_seconds;  // also of one that was warm
  watch_process(started.pid);
  sweep::merge(report_.facts, prepared.facts);
  measure::Prepared begun{start_seconds_, prepared.peak_bytes, {}, prepared.device_memory};
  if (std::exchange(started.fresh, false))
    begun.parts.push_back(part(stats::Phase::start, started.started_at_seconds, started.start_seconds));
  begun.parts.push_back(part(stats::Phase::prepare, start, prepared.seconds));
  if (is_warm) begun.parts.back().flags = stats::warm_caches;
  return begun;
}

// A worker's own time must fit into the time that we saw pass.
void WorkerArm::judge_prepared(Worker& worker, const protocol::Prepared& prepared, double sent_seconds) {
  const double now = steady_seconds();
  const double start = prepared.start_seconds.value_or(sent_seconds);
  if (prepared.seconds >= 0 && start >= sent_seconds && start + prepared.seconds <= now) return;
  slot_.pool.kill_for(worker, FailureKind::protocol,
                      fmt::format("says that it took {:.6f} s to prepare, {:.6f} s after it was asked, and answered "
                                  "after {:.6f} s (its times cannot be true)",
                                  prepared.seconds, start - sent_seconds, now - sent_seconds));
}

protocol::Prepare WorkerArm::prepare_request(const std::string& intervention) {
  if (sent_) return *std::exchange(sent_, std::nullopt);
  return {place_.index, task_.parameters, slot_.last_model.text_of(*task_.model), inputs_->weights, inputs_->batches,
          intervention, place_.rank};
}

void WorkerArm::join(const std::vector<std::string>& members, const std::string& stop) {
  const protocol::Join request{place_.index, members, stop, slot_.pool.patience_seconds()};
  expect_reply<protocol::Joined>(worker(), slot_.pool.ask(worker(), request));
  worker().is_given_up = [word = std::make_shared<exchange::Stop>(stop)] { return word->is_set(); };
}

// Only to a process that is warm: how one begins is no part of this.
bool WorkerArm::send_ahead(const std::vector<measure::SliceRequest>& slices) {
  find_program();
  if (!slot_.pool.has(key_) || worker().is_beginning || !worker().ready.answers_together) return false;
  inputs_ = find_inputs();
  protocol::Prepare request = prepare_request(intervention_of(worker()));
  std::vector<protocol::WorkerRequest> requests;
  requests.reserve(slices.size() + 2);
  requests.emplace_back(request);
  for (const measure::SliceRequest& slice : slices) requests.emplace_back(slice_request(slice));
  requests.emplace_back(protocol::Release{place_.index});
  if (!slot_.pool.send_ahead(worker(), std::move(requests))) return false;
  sent_ = std::move(request);
  return true;
}

measure::Prepared WorkerArm::renew() {
  if (slot_.pool.has(key_) && !worker().fresh) slot_.pool.retire(key_);
  return prepare();
}

bool WorkerArm::begin(const std::vector<int>& cpus) {
  slot_.pool.begin(key_, program_, {cpus.end() - threads_, cpus.end()});
  return true;
}

bool WorkerArm::await_begun() {
  if (!slot_.pool.has(key_) || !worker().is_beginning) return false;
  start_worker();
  return true;
}

sweep::ArmOutcome WorkerArm::report() const {
  sweep::ArmOutcome told = report_;
  sweep::set(told.facts, sweep::Fact::results, results_);
  return told;
}

void WorkerArm::judge(Worker& worker, const protocol::Slice& request, const std::vector<stats::Sample>& samples,
                      double seen_seconds) {
  double claimed_seconds = 0;
  std::int64_t steps = 0;
  std::int64_t reentry_steps = 0;
  bool sane = !samples.empty();
  for (const stats::Sample& sample : samples) {
    sane = sane && sample.arm == request.arm.value && sample.slice == request.order.slice && sample.steps > 0 &&
           std::isfinite(sample.seconds) && sample.seconds >= 0 &&
           (sample.phase == request.order.phase || sample.phase == stats::Phase::reentry);
    claimed_seconds += sample.seconds;
    (sample.phase == request.order.phase ? steps : reentry_steps) += sample.steps;
  }
  if (request.order.phase == stats::Phase::reentry) reentry_steps = request.order.length.reentry_steps;
  if (!sane || steps != request.order.length.steps || reentry_steps != request.order.length.reentry_steps ||
      claimed_seconds > seen_seconds) {
    slot_.pool.kill_for(worker, FailureKind::protocol,
                        fmt::format("reported {} steps and {} re-entry steps in {:.6f} s for a slice of {} and {} that "
                                    "took {:.6f} s. Its samples cannot be true",
                                    steps, reentry_steps, claimed_seconds, request.order.length.steps,
                                    request.order.length.reentry_steps, seen_seconds));
  }
}

/// Takes the results of a loop: the last value counts for its process.
void WorkerArm::take_results(const sweep::ProgramResults& told) {
  for (const auto& [name, result] : told) {
    if (!sweep::may_be_result(name))
      throw ArmEnded{sweep::Failed{
          FailureKind::reported,
          fmt::format("regatta.result: the results have a column '{}' already; report it under another name", name)}};
    if (!result.values.empty() && result.values.back())
      note_result(results_, processes_, name, {*result.values.back(), result.unit});
  }
}

/// The last result of this name that its loop reported, in this process.
double WorkerArm::last_of(const std::string& name) const {
  const auto found = results_.find(name);
  if (found != results_.end() && found->second.values.size() > processes_ && found->second.values[processes_])
    return sweep::without_prefix(*found->second.values[processes_], found->second.unit);
  throw ArmEnded{sweep::Failed{
      FailureKind::reported,
      fmt::format(
          "the loop reported no number '{0}', by which trials are compared; call regatta.result(\"{0}\", ...) in it",
          name)}};
}

/// All of it takes the place of what was told after an earlier slice: figures of two processes do not mix.
void WorkerArm::take_facts(sweep::Facts told) {
  if (told.empty()) return;
  take_results(sweep::value_of<sweep::ProgramResults>(told, sweep::Fact::results));
  sweep::set(told, sweep::Fact::results, sweep::ProgramResults());
  for (const sweep::KnownFact& known : told_) sweep::set(report_.facts, known.fact, sweep::info(known.fact).zero);
  sweep::merge(report_.facts, told);
  told_ = std::move(told);
}

std::vector<stats::Sample> WorkerArm::samples_of(Worker& worker, const protocol::Slice& request) {
  std::vector<stats::Sample> samples;
  const double start = sent_at(worker);
  auto piece = expect_reply<protocol::Samples>(worker, slot_.pool.ask(worker, request));
  for (;;) {
    samples.insert(samples.end(), piece.samples.begin(), piece.samples.end());
    if (piece.last) break;
    if (samples.size() > static_cast<std::size_t>(request.order.length.steps + request.order.length.reentry_steps))
      break;  // judged below
    piece = expect_reply<protocol::Samples>(worker, slot_.pool.await(worker));
  }
  judge(worker, request, samples, steady_seconds() - start);
  take_facts(std::move(piece.facts));
  return samples;
}

protocol::Slice WorkerArm::slice_request(const measure::SliceRequest& request) const {
  protocol::Slice asked{place_.index, request.order};
  for (std::int64_t* const steps :
       {&asked.order.length.reentry_steps, &asked.order.length.steps, &asked.order.length.group})
    *steps = whole_calls(*steps);
  asked.order.length.reentry_group = 1;  // is not sent, and what was sent ahead is compared
  return asked;
}

/// A slice in which the job was suspended tells nothing: it is measured again. A first step is not repeated, nor what
/// other ranks take part in, nor what the worker has done ahead.
measure::SliceResult WorkerArm::slice(const measure::SliceRequest& request) {
  for (int tried = 1;; ++tried) {
    const double stopped_before = slot_.spawner.stopped_seconds();
    measure::SliceResult result = slice_once(request);
    const double stopped_seconds = slot_.spawner.stopped_seconds() - stopped_before;
    const bool may_repeat = !place_.rank && request.order.phase != stats::Phase::first && worker().ahead.empty();
    if (stopped_seconds <= 0 || !may_repeat || tried == most_tries_of_suspended) return result;
    log::info(fmt::format("suspended for {:.0f} s in a slice; it is measured again", stopped_seconds));
  }
}

measure::SliceResult WorkerArm::slice_once(const measure::SliceRequest& request) {
  const protocol::Slice asked = slice_request(request);
  const bool is_first_scored = request.order.phase == stats::Phase::steady && !std::exchange(is_scored_, true);
  const std::uint64_t warm_bytes = is_first_scored && memory_ ? memory_->read().now_bytes : 0;
  return watched_slice(watch_ ? &*watch_ : nullptr, request, [&] {
    measure::SliceResult result{samples_of(worker(), asked)};
    if (request.order.phase == stats::Phase::first && fills_) caches_.note_filled(*std::exchange(fills_, std::nullopt));
    note_memory(result.memory);
    result.memory.warm_bytes = warm_bytes;
    if (!request.result.empty() && request.order.phase == stats::Phase::steady) result.result = last_of(request.result);
    return result;
  });
}

std::filesystem::path WorkerArm::checkpoint_of(const measure::TrainRequest& request) const {
  return checkpoints_of(slot_) /
         checkpoint_name(task_, request, {slot_.run_folder, inputs_->data, report_.environment});
}

// A worker's own time must fit into the time that we saw pass. An interrupted leg reports the time of the whole run:
// only the rest can be judged.
void WorkerArm::judge_learned(Worker& worker, const sweep::Learned& learned, double seen_seconds) {
  const auto& points = learned.curve.points;
  if (points.size() < 2 || points.front().train_seconds <= points.back().train_seconds) return;
  slot_.pool.kill_for(worker, FailureKind::protocol,
                      fmt::format("its times go backwards within {:.6f} s", seen_seconds));
}

sweep::Learned WorkerArm::train_from(const std::filesystem::path& checkpoint, const measure::TrainRequest& request) {
  const sweep::Training& training = request.training;
  create_private_folder(checkpoints_of(slot_));
  protocol::Train asked;
  asked.arm = place_.index;
  asked.from = request.leg.from;
  asked.to = request.leg.to;
  asked.tests = request.leg.purpose == sweep::Purpose::test;
  asked.data_path = inputs_->data;
  asked.checkpoint_path = checkpoint.string();
  asked.epochs = training.epochs;
  asked.steps = training.steps;
  asked.evaluations = training.evaluations;
  asked.validation = training.validation;
  if (training.early_stop) asked.patience = training.early_stop->patience;
  if (training.early_stop) asked.min_delta = training.early_stop->min_delta;
  asked.metric = request.objective.metric;
  asked.maximizes = request.objective.maximizes;
  forget_peak_of(worker().pid);
  const double start = steady_seconds();
  protocol::WorkerReply reply = slot_.pool.ask(worker(), asked);
  while (std::holds_alternative<protocol::Progress>(reply)) reply = slot_.pool.await(worker());
  sweep::Learned learned = expect_reply<protocol::Trained>(worker(), reply).learned;
  judge_learned(worker(), learned, steady_seconds() - start);
  // A kept process of the user's own trains in a child, which tells its own peak.
  learned.peak_bytes = std::max(learned.peak_bytes, static_cast<double>(peak_bytes_of(worker().pid)));
  learned.start_seconds = worker().start_seconds;
  learned.prepare_seconds += prepare_seconds_;  // the worker told what it compiled before the first step
  learned.checkpoint = training.keep_weights ? checkpoint.filename().string() : std::string();
  return learned;
}

protocol::Checked WorkerArm::check(std::int64_t steps, protocol::CheckAs as) {
  const protocol::Check request{place_.index, steps, true, as};
  auto checked = expect_reply<protocol::Checked>(worker(), slot_.pool.ask(worker(), request));
  if (as == protocol::CheckAs::timed) sweep::set(report_.facts, sweep::Fact::parameter_hash, checked.parameter_hash);
  return checked;
}

void WorkerArm::park() {
  if (slot_.pool.has(key_)) slot_.pool.pause(worker());
}

void WorkerArm::resume() {
  if (slot_.pool.has(key_)) slot_.pool.resume(worker());
}

void WorkerArm::evict() { slot_.pool.retire(key_); }

void WorkerArm::clear() {
  if (program_.argv.empty() || !slot_.pool.has(key_)) return;
  if (!worker().is_beginning) slot_.pool.ask(worker(), protocol::Release{place_.index});
  slot_.pool.pause(worker());
}

void WorkerArm::release() {
  if (program_.argv.empty() || !slot_.pool.has(key_)) return;
  const bool is_quick = place_.own_process && start_seconds_ < quick_start_seconds;
  if (is_quick || worker().is_beginning) return slot_.pool.retire(key_);
  slot_.pool.ask(worker(), protocol::Release{place_.index});
}

}  // namespace

std::unique_ptr<WorkerOfArm> make_worker_arm(AgentSlot& slot, const sweep::ArmTask& task, ArmPlace place) {
  return std::make_unique<WorkerArm>(slot, task, place);
}

}  // namespace regatta::launcher
