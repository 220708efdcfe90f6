#include "children/spawner_client.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "os/process_tree.hpp"
#include "regatta/base/error.hpp"
#include "regatta/protocol/codec.hpp"

namespace regatta::launcher {
namespace {

constexpr double start_timeout_seconds = 30;
constexpr double kill_timeout_seconds = 10;
constexpr double look_interval_seconds = 1;
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

SpawnerClient::SpawnerClient(SpawnerHandle handle, Chores chores, GaveUp gave_up)
    : link_(std::move(handle.link)), chores_(std::move(chores)), gave_up_(std::move(gave_up)) {}

bool SpawnerClient::wait_wanted(const std::vector<int>& fds, Deadline deadline) const {
  for (;;) {
    const Deadline piece{std::min(deadline.at_seconds, Deadline::after(look_interval_seconds).at_seconds)};
    if (wait_readable(fds, piece, chores_)) return true;
    if (deadline.passed() || gave_up_()) return false;
  }
}

void SpawnerClient::expect_wanted(const protocol::Exited& exit) const {
  const Deadline deadline = Deadline::after(was_terminated(exit.wait_status) ? signal_skew_seconds : 0);
  do {
    if (gave_up_()) throw GivenUp{};
  } while (wait_for_signal(deadline, chores_));
}

void SpawnerClient::receive() {
  if (!link_.receive_available()) {
    // Its workers die with it (death signal); what they left is ours now, because we are a sub-reaper.
    for (pid_t pid : own_children()) kill_tree(pid);
    throw PeerLost("the spawner of this rank is gone (its workers died with it); run the same command again");
  }
  while (const auto frame = link_.next()) {
    protocol::SpawnerReply reply = protocol::parse_spawner_reply(*frame);
    const WorkerId worker = worker_of(reply);
    if (auto* exited = std::get_if<protocol::Exited>(&reply)) {
      exits_.insert_or_assign(worker, std::move(*exited));
    } else {
      starts_.insert_or_assign(worker, std::move(reply));
    }
  }
}

protocol::SpawnerReply SpawnerClient::next_start_reply(WorkerId worker) {
  const Deadline deadline = Deadline::after(start_timeout_seconds);
  for (;;) {
    if (auto found = starts_.extract(worker)) return std::move(found.mapped());
    if (!wait_readable({link_.fd()}, deadline, chores_)) throw PeerLost("the spawner does not answer");
    receive();
  }
}

StartedWorker SpawnerClient::spawn(const protocol::SpawnWorker& request) {
  link_.send(protocol::to_frame(protocol::SpawnerRequest{request}));
  const protocol::SpawnerReply reply = next_start_reply(request.worker);
  if (const auto* failed = std::get_if<protocol::SpawnFailed>(&reply)) throw CouldNotStart(failed->message);
  auto descriptors = link_.take_descriptors();
  if (descriptors.size() != 2) throw PeerLost("the spawner passed no link to its worker");
  return {static_cast<pid_t>(std::get<protocol::Spawned>(reply).pid), std::move(descriptors[0]),
          std::move(descriptors[1])};
}

protocol::Exited SpawnerClient::run(const protocol::RunProgram& request, double timeout_seconds, bool& timed_out) {
  link_.send(protocol::to_frame(protocol::SpawnerRequest{request}));
  const protocol::SpawnerReply reply = next_start_reply(request.worker);
  if (const auto* failed = std::get_if<protocol::SpawnFailed>(&reply)) throw CouldNotStart(failed->message);
  timed_out = false;
  const Deadline deadline = Deadline::after(timeout_seconds);
  for (;;) {
    if (auto exit = take_exit(request.worker)) {
      expect_wanted(*exit);
      return std::move(*exit);
    }
    if (!wait_wanted({link_.fd()}, deadline)) {
      timed_out = deadline.passed();
      kill(request.worker);
      protocol::Exited exit = wait_exit(request.worker, kill_timeout_seconds);
      if (!timed_out) throw GivenUp{};
      return exit;
    }
    receive();
  }
}

void SpawnerClient::kill(WorkerId worker) {
  link_.send(protocol::to_frame(protocol::SpawnerRequest{protocol::Kill{worker}}));
}

void SpawnerClient::pause(WorkerId worker, bool stopped) {
  link_.send(protocol::to_frame(protocol::SpawnerRequest{protocol::Pause{worker, stopped}}));
}

std::optional<protocol::Exited> SpawnerClient::take_exit(WorkerId worker) {
  if (wait_readable({link_.fd()}, Deadline::after(0), [] { return 0.0; })) receive();
  if (auto found = exits_.extract(worker)) return std::move(found.mapped());
  return std::nullopt;
}

protocol::Exited SpawnerClient::wait_exit(WorkerId worker, double timeout_seconds) {
  const Deadline deadline = Deadline::after(timeout_seconds);
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
