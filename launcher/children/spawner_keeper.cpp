#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

#include "children/children.hpp"
#include "os/frame_socket.hpp"
#include "os/process_tree.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/log.hpp"

namespace regatta::launcher {
namespace {

bool is_stopped(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WSTOPPED | WNOWAIT | WNOHANG) == 0 && info.si_pid == child;
}

/// Not so where a whole step was stopped and goes on: then this process is woken a moment earlier or later.
bool stays_stopped(pid_t child) {
  constexpr int looks = 3;
  constexpr int look_milliseconds = 20;
  for (int look = 0; look < looks; ++look) {
    ::poll(nullptr, 0, look_milliseconds);
    if (!is_stopped(child)) return false;
  }
  return true;
}

/// It ends with its agent. One that was stopped serves nobody, and is killed.
void wait_for_end(pid_t spawner) {
  for (;;) {
    siginfo_t info{};
    const int known = ::waitid(P_PID, static_cast<id_t>(spawner), &info, WEXITED | WSTOPPED | WNOWAIT);
    if (known != 0 && errno == EINTR) continue;
    if (known != 0 || info.si_code != CLD_STOPPED) return;
    if (stays_stopped(spawner)) ::kill(spawner, SIGKILL);
  }
}

/// Starts a spawner, hands the other end of its link to the agent, and waits for its end.
void keep_one(FrameSocket& agent) {
  constexpr double end_seconds = 5;
  auto [agents_end, spawners_end] = socket_pair();
  const pid_t spawner = ::fork();
  if (spawner < 0)
    throw InternalError(errno_text("cannot fork the spawner (process limit reached?); raise `ulimit -u`", errno));
  if (spawner == 0) {
    agents_end.reset();
    { const FrameSocket closed(std::move(agent)); }
    run_spawner(std::move(spawners_end));
  }
  spawners_end.reset();
  agent.send({R"({"type":"spawner"})", {}}, {agents_end.get()});
  agents_end.reset();
  wait_for_end(spawner);
  end_own_children(Deadline::after(end_seconds));  // the spawner, and what its workers left
}

[[noreturn]] void run_keeper(UniqueFd link) {
  stand_apart("regatta-keeper");
  FrameSocket agent(std::move(link));
  int status = EXIT_SUCCESS;
  try {
    do {
      keep_one(agent);
    } while (agent.receive_available());
  } catch (const PeerLost&) {
    // The agent ended first.
  } catch (const std::exception& error) {
    log::error(std::string("keeper of the spawner: ") + error.what());
    status = EXIT_FAILURE;
  }
  ::_exit(status);
}

}  // namespace

SpawnerKeeper start_spawner_keeper() {
  auto [ours, theirs] = socket_pair();
  const pid_t pid = ::fork();
  if (pid < 0)
    throw InternalError(
        errno_text("cannot fork the spawner's keeper (process limit reached?); raise `ulimit -u`", errno));
  if (pid == 0) {
    ours.reset();
    run_keeper(std::move(theirs));
  }
  return {std::move(ours), pid};
}

}  // namespace regatta::launcher
