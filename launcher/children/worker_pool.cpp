#include "children/worker_pool.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "host/host.hpp"
#include "os/bind_process.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/log.hpp"
#include "regatta/protocol/codec.hpp"

namespace regatta::launcher {
namespace {

using sweep::FailureKind;

constexpr double gone_timeout_seconds = 10;                      // SIGKILL to the end of the whole tree
constexpr double exit_timeout_seconds = 2;                       // closed link to the end of the process
constexpr double watched_look_seconds = 20e-3;                   // the same, all the time that it computes
constexpr double look_seconds = 1e-3;                            // between looks whether a rank is given up
constexpr std::size_t most_ahead_bytes = std::size_t{64} << 10;  // a local socket holds some 200 KB each way

/// The work that a request asks of a worker, in words.
struct Occupation {
  std::string_view operator()(const protocol::Hello&) const { return "hello"; }
  std::string_view operator()(const protocol::Prepare&) const { return "prepare, which builds the model"; }
  std::string_view operator()(const protocol::Join&) const { return "join, which brings its ranks together"; }
  std::string_view operator()(const protocol::Check&) const { return "check, which shows what work it does"; }
  std::string_view operator()(const protocol::Slice& slice) const {
    return slice.order.phase == stats::Phase::first ? "the first step, which compiles" : "a slice of steps";
  }
  std::string_view operator()(const protocol::Train&) const { return "a leg of training"; }
  std::string_view operator()(const protocol::Release&) const { return "release"; }
  std::string_view operator()(const protocol::Stop&) const { return "stop"; }
};

std::string encoded(const Worker& worker, const protocol::WorkerRequest& request) {
  return protocol::encode(worker.packs ? protocol::to_packed(request) : protocol::to_frame(request));
}

}  // namespace

WorkerPool::WorkerPool(SpawnerClient& spawner, PoolOptions options, Chores chores)
    : spawner_(spawner), options_(std::move(options)), oom_kills_(oom_kills({}, "self")), chores_(std::move(chores)) {}

Death WorkerPool::cause_of_death(const protocol::Exited& exit) {
  const bool is_killed = WIFSIGNALED(exit.wait_status) && WTERMSIG(exit.wait_status) == SIGKILL;
  const std::uint64_t before = oom_kills_;
  if (is_killed) oom_kills_ = oom_kills({}, "self");
  return launcher::cause_of_death(exit, options_.memory_bytes, oom_kills_ - before);
}

std::vector<int> WorkerPool::cpus_for(std::int64_t threads) const {
  const auto& cpus = options_.cpus;
  const auto wanted = std::min(cpus.size(), static_cast<std::size_t>(std::max<std::int64_t>(threads, 1)));
  return {cpus.end() - static_cast<std::ptrdiff_t>(wanted), cpus.end()};
}

std::vector<std::vector<int>> WorkerPool::cpus_beside(std::int64_t threads) const {
  const auto wanted = std::max<std::int64_t>(threads, 1);
  std::vector<std::vector<int>> sets;
  for (auto end = options_.cpus.end() - static_cast<std::ptrdiff_t>(cpus_for(threads).size());
       end - options_.cpus.begin() >= wanted; end -= wanted)
    sets.emplace_back(end - wanted, end);
  return sets;
}

Worker& WorkerPool::warm_worker(const ProcessKey& key, const WorkerProgram& program, std::int64_t threads) {
  if (const auto found = workers_.find(key); found != workers_.end()) {
    Worker& known = found->second;
    if (known.is_beginning) {
      greet(known);
      bind(known, threads);
      return known;
    }
    if (!known.ahead.empty() || !spawner_.take_exit(known.id)) return known;
    std::error_code unseen;
    const bool has_log = std::filesystem::exists(known.log_path, unseen);  // it printed something
    log::warn(fmt::format("an idle worker ended by itself; starting another{}",
                          has_log ? fmt::format(" (its log: {})", known.log_path) : ""));
    workers_.erase(found);
  }
  Worker& fresh = start(key, program, cpus_for(threads));
  greet(fresh);
  return fresh;
}

void WorkerPool::begin(const ProcessKey& key, const WorkerProgram& program, const std::vector<int>& cpus) {
  Worker& worker = start(key, program, cpus);
  worker.began_beside = true;
  worker.is_beginning = true;
}

/// Started by itself and asked who it is.
Worker& WorkerPool::start(const ProcessKey& key, const WorkerProgram& program, const std::vector<int>& cpus) {
  const double start_seconds = steady_seconds();
  const WorkerId id = spawner_.next_id();
  const std::string log_path = fmt::format("{}/agent-{}-worker-{}.log", options_.log_folder, options_.agent, id.value);
  try {
    std::map<std::string, std::string> variables = program.variables;
    variables.insert(options_.variables.begin(), options_.variables.end());
    StartedWorker started = spawner_.spawn({id, program.argv, variables, cpus, log_path, options_.memory_bytes});
    Worker worker{id,       started.pid, std::move(started.pidfd), FrameSocket(std::move(started.link)), {},
                  log_path, program.argv};
    worker.started_at_seconds = start_seconds;
    Worker& kept = workers_.emplace(key, std::move(worker)).first->second;
    say_hello(kept);
    return kept;
  } catch (const CouldNotStart& error) {
    throw WorkerDied(FailureKind::could_not_start, error.what());
  }
}

void WorkerPool::say_hello(Worker& worker) {
  const protocol::WorkerRequest hello = protocol::Hello{};
  worker.occupation = std::visit(Occupation{}, hello);
  try {
    worker.link.send(protocol::to_frame(hello));
  } catch (const PeerLost&) {
    // The one who waits for its answer is told how it ended.
  }
}

protocol::WorkerReply WorkerPool::first_answer(Worker& worker) {
  const std::vector<std::string> argv = worker.argv;  // the worker is gone when it died
  try {
    protocol::WorkerReply reply = await(worker);
    have_started_.insert(argv);
    return reply;
  } catch (const WorkerDied& died) {
    const bool never_starts = died.exited && !have_started_.contains(argv);
    const std::string module = module_in_the_way(argv);
    const std::string hint =
        module.empty() ? "" : fmt::format(" ({} beside it runs in place of Python's own module; rename it)", module);
    throw WorkerDied(never_starts ? FailureKind::could_not_start : died.kind,
                     fmt::format("while it was starting and importing what it needs{}: {}", hint, died.what()));
  }
}

void WorkerPool::greet(Worker& worker) {
  const protocol::WorkerReply reply = first_answer(worker);
  if (const auto* error = std::get_if<protocol::Error>(&reply); error != nullptr && error->final) {
    const protocol::Error refusal = *error;
    end(worker);
    throw WorkerRefused{refusal};
  }
  const auto* ready = std::get_if<protocol::Ready>(&reply);
  if (ready == nullptr) kill_for(worker, FailureKind::protocol, "answered hello with something else than ready");
  if (ready->version != protocol::version) {
    kill_for(worker, FailureKind::protocol,
             fmt::format("speaks protocol version {}, this launcher {}", ready->version, protocol::version));
  }
  worker.start_seconds = steady_seconds() - worker.started_at_seconds;
  worker.ready = *ready;
  worker.packs = ready->packed == protocol::packed_layout();
}

/// It waits for a request: none of its threads is busy.
void WorkerPool::bind(Worker& worker, std::int64_t threads) {
  if (!bind_process(worker.pid, cpus_for(threads)))
    kill_for(worker, FailureKind::could_not_start, "cannot be bound to the cores that it is measured on");
  worker.is_beginning = false;
}

protocol::WorkerReply WorkerPool::ask(Worker& worker, const protocol::WorkerRequest& request) {
  if (!worker.ahead.empty() && worker.ahead.front() != request) drop_ahead(worker);
  worker.occupation = std::visit(Occupation{}, request);
  if (!worker.ahead.empty()) {
    send_unsent(worker);
    worker.ahead.pop_front();
    return await(worker);
  }
  resume(worker);
  send(worker, encoded(worker, request));
  return await(worker);
}

void WorkerPool::send(Worker& worker, std::string_view bytes) {
  try {
    worker.link.send_encoded(bytes);
  } catch (const PeerLost&) {
    remove_dead(worker, std::nullopt);
  }
}

bool WorkerPool::send_ahead(Worker& worker, std::vector<protocol::WorkerRequest> requests) {
  expect(worker.ready.answers_together, "only a worker that answers together is asked ahead");
  std::string bytes;
  for (const protocol::WorkerRequest& request : requests) bytes += encoded(worker, request);
  if (worker.ahead.empty()) worker.ahead_bytes = 0;
  if (worker.ahead_bytes + bytes.size() > most_ahead_bytes) return false;
  worker.ahead_bytes += bytes.size();
  worker.unsent += bytes;
  std::ranges::move(requests, std::back_inserter(worker.ahead));
  return true;
}

void WorkerPool::send_unsent(Worker& worker) {
  if (worker.unsent.empty()) return;
  resume(worker);
  worker.ahead_since_seconds = steady_seconds();
  send(worker, std::exchange(worker.unsent, {}));
}

/// Reads the answers that nobody asks for any more: an arm ended before what was foreseen of it.
void WorkerPool::drop_ahead(Worker& worker) {
  send_unsent(worker);
  for (; !worker.ahead.empty(); worker.ahead.pop_front()) {
    protocol::WorkerReply reply = await(worker);
    while (std::holds_alternative<protocol::Samples>(reply) && !std::get<protocol::Samples>(reply).last)
      reply = await(worker);
  }
}

protocol::WorkerReply WorkerPool::await(Worker& worker) {
  Deadline deadline = Deadline::after(options_.timeout_seconds);
  for (bool ended = false;;) {
    try {
      if (const auto frame = worker.link.next()) return protocol::parse_worker_reply(*frame);
      if (ended) remove_dead(worker, std::nullopt);
      const Waited waited = wait_for(worker, deadline);
      if (waited == Waited::unwanted) give_up(worker);
      if (waited != Waited::answered)
        kill_for(worker, FailureKind::timed_out,
                 fmt::format("no answer to {} within {}", worker.occupation, time_of(waited)));
      // A forked grandchild may hold the link open after the worker's death; its pidfd tells all the same.
      ended = !worker.link.receive_available() || (is_readable(worker.pidfd.get()) && !is_readable(worker.link.fd()));
    } catch (const PeerLost& nonsense) {
      kill_for(worker, FailureKind::protocol, nonsense.what());
    }
  }
}

/// The others give up after the last turn has begun: nobody looks before that.
WorkerPool::Waited WorkerPool::wait_for(const Worker& worker, Deadline& deadline) const {
  const std::vector<int> fds{worker.link.fd(), worker.pidfd.get()};
  double turn_seconds = deadline.left_seconds();
  if (worker.is_given_up) turn_seconds -= options_.timeout_seconds - patience_seconds();
  const double pause_seconds = worker.is_watched ? watched_look_seconds : look_seconds;
  if (worker.is_watched) turn_seconds = pause_seconds;
  for (;; turn_seconds = pause_seconds) {
    const double until = std::min(deadline.at_seconds, Deadline::after(std::max(turn_seconds, 0.0)).at_seconds);
    Deadline turn{until};
    if (spawner_.wait_wanted(fds, turn)) return Waited::answered;
    deadline.at_seconds += turn.at_seconds - until;
    if (!turn.passed()) return Waited::unwanted;
    if (deadline.passed()) return Waited::too_long;
    if (worker.is_given_up && worker.is_given_up()) return Waited::given_up;
  }
}

std::string WorkerPool::time_of(Waited waited) const {
  if (waited == Waited::too_long) return fmt::format("limits.trial_timeout, {} s", options_.timeout_seconds);
  return fmt::format("the {:g} s for which its other ranks wait, four fifths of limits.trial_timeout",
                     patience_seconds());
}

void WorkerPool::give_up(const Worker& worker) {
  end(worker);
  throw GivenUp{};
}

void WorkerPool::kill_for(Worker& worker, FailureKind kind, const std::string& message) {
  spawner_.kill(worker.id);
  remove_dead(worker, WorkerDied(kind, message));
}

void WorkerPool::expect_wanted_or_forget(const Worker& worker, const protocol::Exited& exit) {
  try {
    spawner_.expect_wanted(exit);
  } catch (const GivenUp&) {
    forget(worker.id);
    throw;
  }
}

void WorkerPool::remove_dead(Worker& worker, std::optional<WorkerDied> reason) {
  Deadline patience = Deadline::after(exit_timeout_seconds);
  auto exit = spawner_.take_exit(worker.id);
  while (!exit && !reason && !patience.passed()) {
    wait_readable({spawner_.fd()}, patience, chores_);
    exit = spawner_.take_exit(worker.id);
  }
  const bool lives_on = !exit;  // it closed its link
  if (lives_on) {
    spawner_.kill(worker.id);
    exit = spawner_.wait_exit(worker.id, gone_timeout_seconds);
  }
  if (!reason) expect_wanted_or_forget(worker, *exit);
  Death death = cause_of_death(*exit);
  const bool is_our_kill = lives_on && WIFSIGNALED(exit->wait_status) && WTERMSIG(exit->wait_status) == SIGKILL;
  if (is_our_kill && death.kind == FailureKind::crashed)
    death = {FailureKind::protocol, "closed its link to Regatta and went on by itself, so Regatta ended it"};
  const FailureKind kind = reason && !exit->flooded ? reason->kind : death.kind;
  std::string message = reason && !exit->flooded ? reason->what() : death.message;
  const bool exited =
      !reason && kind == FailureKind::crashed && WIFEXITED(exit->wait_status) && WEXITSTATUS(exit->wait_status) != 0;
  const std::string tail = log_tail(worker.log_path);
  if (!tail.empty()) message += fmt::format("; its last words:\n{}", tail);
  forget(worker.id);
  throw WorkerDied(kind, message, exited);
}

void WorkerPool::pause(Worker& worker) {
  if (!worker.paused) spawner_.pause(worker.id, true);
  worker.paused = true;
}

void WorkerPool::resume(Worker& worker) {
  if (worker.paused) spawner_.pause(worker.id, false);
  worker.paused = false;
}

void WorkerPool::pause_others(const Worker* active) {
  for (auto& [key, worker] : workers_) {
    if (&worker != active && !worker.is_beginning) pause(worker);
  }
}

void WorkerPool::retire(const ProcessKey& key) {
  const auto found = workers_.find(key);
  if (found != workers_.end()) end(found->second);
}

void WorkerPool::end(const Worker& worker) {
  spawner_.kill(worker.id);
  spawner_.wait_exit(worker.id, gone_timeout_seconds);
  forget(worker.id);
}

void WorkerPool::forget(WorkerId id) {  // by value: a worker's own id goes with it
  std::erase_if(workers_, [id](const auto& entry) { return entry.second.id == id; });
}

void WorkerPool::stop_all() {
  for (auto& [key, worker] : workers_) spawner_.kill(worker.id);
  for (auto& [key, worker] : workers_) spawner_.wait_exit(worker.id, gone_timeout_seconds);
  workers_.clear();
}

}  // namespace regatta::launcher
