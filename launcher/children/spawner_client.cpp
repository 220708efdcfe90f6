#include "children/spawner_client.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "children/slurm_steps.hpp"
#include "children/worker_death.hpp"
#include "os/process_tree.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/log.hpp"
#include "regatta/protocol/codec.hpp"

namespace regatta::launcher {
namespace {

constexpr double start_timeout_seconds = 30;
constexpr double kill_timeout_seconds = 10;
constexpr double look_interval_seconds = 1;
constexpr double program_end_seconds = 5;  // a program whose time is over has so long to end what it started
constexpr double hurry_seconds = 1;        // the same in a drain
constexpr double steps_seconds = 30;       // until Slurm knows no more of steps that were cancelled
constexpr double signal_skew_seconds = 1;  // between two processes of a step that is ended

WorkerId worker_of(const protocol::SpawnerReply& reply) {
  return std::visit([](const auto& message) { return message.worker; }, reply);
}

/// By the signal itself, or as a shell tells it of its last command.
bool was_terminated(int wait_status) {
  constexpr int shell_base = 128;
  return (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGTERM) ||
         (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == shell_base + SIGTERM);
}

/// Sleeps a little, or until a signal came. False once the deadline passed.
bool wait_for_signal(Deadline deadline, const Chores& chores) {
  constexpr double look_seconds = 0.02;
  if (deadline.passed()) return false;
  wait_readable({}, Deadline::after(look_seconds), chores);
  return true;
}

}  // namespace

SpawnerClient::SpawnerClient(SpawnerKeeper keeper, Chores chores, GaveUp gave_up)
    : chores_(std::move(chores)),
      gave_up_(std::move(gave_up)),
      keeper_(std::move(keeper.link)),
      link_(next_spawner()) {}

bool SpawnerClient::wait_wanted(const std::vector<int>& fds, Deadline& deadline) const {
  for (;;) {
    const double until = std::min(deadline.at_seconds, Deadline::after(look_interval_seconds).at_seconds);
    Deadline piece{until};
    const bool is_ready = wait_readable(fds, piece, chores_);
    const double stopped_seconds = piece.at_seconds - until;
    deadline.at_seconds += stopped_seconds;
    stopped_seconds_ += stopped_seconds;
    if (is_ready) return true;
    if (deadline.passed() || gave_up_()) return false;
  }
}

void SpawnerClient::expect_wanted(const protocol::Exited& exit) const {
  Deadline deadline = Deadline::after(was_terminated(exit.wait_status) ? signal_skew_seconds : 0);
  do {
    if (gave_up_()) throw GivenUp{};
  } while (wait_for_signal(deadline, chores_));
}

FrameSocket SpawnerClient::next_spawner() {
  Deadline deadline = Deadline::after(start_timeout_seconds);
  while (wait_readable({keeper_.fd()}, deadline, chores_) && keeper_.receive_available()) {
    auto links = keeper_.take_descriptors();
    if (!links.empty()) return FrameSocket(std::move(links.back()));  // the ones before it have ended, too
  }
  // These children came to us because we are a sub-reaper.
  end_own_children(Deadline::after(kill_timeout_seconds));
  throw PeerLost(
      "the process that starts the workers of this rank is gone, and its workers ended with it; run the same command "
      "again");
}

void SpawnerClient::replace_spawner() {
  log::warn("the spawner of this rank was killed or stopped, and its workers ended with it; another one takes over");
  link_ = next_spawner();
  for (const WorkerId child : std::exchange(children_, {})) {
    protocol::Exited exit;
    exit.worker = child;
    exit.wait_status = SIGKILL;
    exit.with_spawner = true;
    exits_.insert_or_assign(child, std::move(exit));
  }
}

void SpawnerClient::receive() {
  if (!link_.receive_available()) return replace_spawner();
  while (const auto frame = link_.next()) {
    protocol::SpawnerReply reply = protocol::parse_spawner_reply(*frame);
    const WorkerId worker = worker_of(reply);
    if (auto* exited = std::get_if<protocol::Exited>(&reply)) {
      children_.erase(worker);
      exits_.insert_or_assign(worker, std::move(*exited));
    } else {
      starts_.insert_or_assign(worker, std::move(reply));
    }
  }
}

void SpawnerClient::tell(const protocol::SpawnerRequest& request) {
  try {
    link_.send(protocol::to_packed(request));
  } catch (const PeerLost&) {
    replace_spawner();
  }
}

protocol::SpawnerReply SpawnerClient::next_start_reply(WorkerId worker) {
  Deadline deadline = Deadline::after(start_timeout_seconds);
  for (;;) {
    if (auto found = starts_.extract(worker)) return std::move(found.mapped());
    if (const auto lost = exits_.extract(worker)) {
      const Death death = cause_of_death(lost.mapped(), 0, 0);
      throw WorkerDied(death.kind, "while it was started: " + death.message);
    }
    if (!wait_readable({link_.fd()}, deadline, chores_)) throw PeerLost("the spawner does not answer");
    receive();
  }
}

void SpawnerClient::ask_for(WorkerId worker, const protocol::SpawnerRequest& request) {
  if (is_readable(link_.fd())) receive();  // one that ended while it had nothing to do costs nothing
  children_.insert(worker);
  tell(request);
}

void SpawnerClient::expect_start(WorkerId worker, const protocol::SpawnerReply& reply) {
  const auto* failed = std::get_if<protocol::SpawnFailed>(&reply);
  if (failed == nullptr) return;
  children_.erase(worker);
  throw CouldNotStart(failed->message);
}

StartedWorker SpawnerClient::spawn(const protocol::SpawnWorker& request) {
  ask_for(request.worker, request);
  const protocol::SpawnerReply reply = next_start_reply(request.worker);
  expect_start(request.worker, reply);
  auto descriptors = link_.take_descriptors();
  if (descriptors.size() != 2) throw PeerLost("the spawner passed no link to its worker");
  return {static_cast<pid_t>(std::get<protocol::Spawned>(reply).pid), std::move(descriptors[0]),
          std::move(descriptors[1])};
}

protocol::Exited SpawnerClient::end(WorkerId program, double patience_seconds) {
  tell(protocol::EndProgram{program, patience_seconds});
  return wait_exit(program, patience_seconds + kill_timeout_seconds);
}

/// Steps that it began on other nodes would run on beside the next trial.
protocol::Exited SpawnerClient::end_with_steps(WorkerId program) {
  std::vector<std::string> steps = steps_begun_here();
  protocol::Exited exit = end(program, program_end_seconds);
  steps = living_steps(steps);
  cancel_steps(steps);
  Deadline deadline = Deadline::after(steps_seconds);
  while (!steps.empty() && wait_for_signal(deadline, chores_)) steps = living_steps(steps);
  if (!steps.empty())
    log::warn(
        fmt::format("Slurm does not end {} of a trial whose time was over; what runs on its nodes next may be "
                    "disturbed",
                    steps.front()));
  return exit;
}

protocol::Exited SpawnerClient::run(const protocol::RunProgram& request, double timeout_seconds, bool& timed_out) {
  ask_for(request.worker, request);
  timed_out = false;
  Deadline deadline = Deadline::after(timeout_seconds);
  for (;;) {
    if (auto exit = take_exit(request.worker)) {
      expect_wanted(*exit);
      return std::move(*exit);
    }
    if (!wait_wanted({link_.fd()}, deadline)) {
      timed_out = deadline.passed();
      protocol::Exited exit = timed_out ? end_with_steps(request.worker) : end(request.worker, hurry_seconds);
      if (!timed_out) throw GivenUp{};
      return exit;
    }
    receive();
  }
}

void SpawnerClient::kill(WorkerId worker) { tell(protocol::Kill{worker}); }

void SpawnerClient::pause(WorkerId worker, bool stopped) { tell(protocol::Pause{worker, stopped}); }

std::optional<protocol::Exited> SpawnerClient::take_exit(WorkerId worker) {
  if (is_readable(link_.fd())) receive();
  if (const auto failed = starts_.extract(worker)) expect_start(worker, failed.mapped());
  if (auto found = exits_.extract(worker)) return std::move(found.mapped());
  return std::nullopt;
}

protocol::Exited SpawnerClient::wait_exit(WorkerId worker, double timeout_seconds) {
  Deadline deadline = Deadline::after(timeout_seconds);
  for (;;) {
    if (auto exit = take_exit(worker)) return std::move(*exit);
    if (!wait_readable({link_.fd()}, deadline, chores_)) {
      throw InternalError(
          "a killed worker does not go away (it hangs in the kernel?); this slot cannot be used any more");
    }
    receive();
  }
}

}  // namespace regatta::launcher
