#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "children/children.hpp"
#include "os/frame_socket.hpp"
#include "os/process_tree.hpp"
#include "os/still_watch.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/own_paths.hpp"

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

/// The keeper is its agent's child, and looks after it: nobody else is on each host of a job. An agent that hangs would
/// let the whole job wait for ever; its death ends the job.
class AgentKeeper {
 public:
  AgentKeeper(pid_t agent, const std::optional<AgentWatch>& watch)
      : agent_(agent), watch_(watch), still_(agent, watch ? watch->patience_seconds : 1, steady_seconds()) {}

  [[nodiscard]] double look_seconds() const { return still_.look_seconds(); }

  void look() {
    constexpr useconds_t read_microseconds = 200'000;  // mpirun reads nothing of a rank that is dead
    if (!watch_ || ::getppid() != agent_ || !still_.is_still(steady_seconds())) return;
    log::error(fmt::format(
        "{} on {} has done nothing for {} s (it was stopped, or hangs in the kernel); it is ended, and the job with it",
        watch_->name, host_name(), watch_->patience_seconds));
    ::usleep(read_microseconds);
    ::kill(agent_, SIGKILL);
    watch_.reset();  // all that can be done is done
  }

 private:
  pid_t agent_;
  std::optional<AgentWatch> watch_;
  StillWatch still_;
};

/// Sleeps until a child changes, or it is time to look after the agent.
void sleep_until_due(double seconds) {
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  const auto whole_seconds = static_cast<time_t>(seconds);
  const timespec timeout{whole_seconds, static_cast<long>((seconds - static_cast<double>(whole_seconds)) * 1e9)};
  ::sigtimedwait(&children, nullptr, &timeout);
}

/// It ends with its agent. One that was stopped serves nobody, and is killed.
void wait_for_end(pid_t spawner, AgentKeeper& agent) {
  for (;;) {
    siginfo_t info{};
    const int known = ::waitid(P_PID, static_cast<id_t>(spawner), &info, WEXITED | WSTOPPED | WNOWAIT | WNOHANG);
    if (known != 0 && errno == EINTR) continue;
    if (known == 0 && info.si_pid == 0) {
      sleep_until_due(agent.look_seconds());
      agent.look();
      continue;
    }
    if (known != 0 || info.si_code != CLD_STOPPED) return;
    if (stays_stopped(spawner)) ::kill(spawner, SIGKILL);
  }
}

/// Starts a spawner, hands the other end of its link to the agent, and waits for its end.
void keep_one(FrameSocket& agent, AgentKeeper& keeper) {
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
  wait_for_end(spawner, keeper);
  end_own_children(Deadline::after(end_seconds));  // the spawner, and what its workers left
}

[[noreturn]] void run_keeper(UniqueFd link, AgentKeeper keeper) {
  stand_apart("regatta-keeper");
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &children, nullptr);
  FrameSocket agent(std::move(link));
  int status = EXIT_SUCCESS;
  try {
    do {
      keep_one(agent, keeper);
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

SpawnerKeeper start_spawner_keeper(const std::optional<AgentWatch>& watch) {
  auto [ours, theirs] = socket_pair();
  const pid_t agent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0)
    throw InternalError(
        errno_text("cannot fork the spawner's keeper (process limit reached?); raise `ulimit -u`", errno));
  if (pid == 0) {
    ours.reset();
    run_keeper(std::move(theirs), AgentKeeper(agent, watch));
  }
  return {std::move(ours), pid};
}

}  // namespace regatta::launcher
