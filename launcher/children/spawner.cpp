#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "children/children.hpp"
#include "os/child_output.hpp"
#include "os/frame_socket.hpp"
#include "os/process_tree.hpp"
#include "os/spawn_process.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/log.hpp"
#include "regatta/protocol/codec.hpp"

namespace regatta::launcher {
namespace {

using protocol::Exited;
using protocol::SpawnerRequest;

// Names the descriptor of the link. Without it a script cannot tell the link from a socket of an editor's.
constexpr const char* link_variable = "REGATTA_WORKER_LINK";

struct Child {
  pid_t pid = -1;
  double start_seconds = 0;
  std::vector<ChildOutput> outputs;
  std::optional<Exited> exit;        ///< set once the leader is reaped; sent once its tree is gone
  std::optional<Deadline> end = {};  ///< it was asked to end: what is left of its tree then is killed
};

struct Spawner {
  FrameSocket agent;
  UniqueFd signals;
  std::map<WorkerId, Child> children;
};

void reply(Spawner& spawner, const protocol::SpawnerReply& message, const std::vector<int>& fds = {}) {
  spawner.agent.send(protocol::to_packed(message), fds);
}

UniqueFd open_null() { return UniqueFd(::open("/dev/null", O_RDWR | O_CLOEXEC)); }

std::string start_error(const std::string& program, int error_number) {
  return errno_text(fmt::format("cannot start '{}'", program), error_number);
}

void handle(Spawner& spawner, const protocol::SpawnWorker& request) {
  Child child;
  UniqueFd output_end;
  child.outputs.push_back(make_output(output_end, request.log_path));
  auto [ours, theirs] = socket_pair();
  const UniqueFd null = open_null();
  child.start_seconds = steady_seconds();
  std::map<std::string, std::string> variables = request.variables;
  variables.insert_or_assign(link_variable, "3");
  const ChildStart start = spawn_process({request.argv, variables, request.cpus, request.memory_bytes, null.get(),
                                          output_end.get(), output_end.get(), theirs.get()});
  if (start.pid < 0) {
    return reply(spawner, protocol::SpawnFailed{request.worker, start_error(request.argv.front(), start.error_number)});
  }
  child.pid = start.pid;
  const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, start.pid, 0)));
  spawner.children.insert_or_assign(request.worker, std::move(child));
  reply(spawner, protocol::Spawned{request.worker, start.pid}, {ours.get(), pidfd.get()});
}

void handle(Spawner& spawner, const protocol::RunProgram& request) {
  Child child;
  UniqueFd output_end;
  UniqueFd error_end;
  child.outputs.push_back(make_output(output_end, request.output_path, Beyond::dropped));
  child.outputs.push_back(make_output(error_end, request.log_path, Beyond::dropped));
  const UniqueFd null = open_null();
  child.start_seconds = steady_seconds();
  const ChildStart start = spawn_process({request.argv, request.variables, request.cpus, request.memory_bytes,
                                          null.get(), output_end.get(), error_end.get(), -1, request.folder});
  if (start.pid < 0) {
    return reply(spawner, protocol::SpawnFailed{request.worker, start_error(request.argv.front(), start.error_number)});
  }
  child.pid = start.pid;
  spawner.children.insert_or_assign(request.worker, std::move(child));
}

void handle(Spawner& spawner, const protocol::Kill& request) {
  const auto found = spawner.children.find(request.worker);
  if (found != spawner.children.end()) kill_tree(found->second.pid);
}

/// A program that starts others elsewhere (srun, mpirun) ends them when it is told to end, not when it is killed.
void handle(Spawner& spawner, const protocol::EndProgram& request) {
  const auto found = spawner.children.find(request.worker);
  if (found == spawner.children.end() || found->second.exit) return;
  Child& child = found->second;
  if (!child.end) child.end = Deadline::after(request.patience_seconds);
  ::kill(-child.pid, SIGTERM);
  ::kill(-child.pid, SIGCONT);  // one that is stopped could not hear it
}

/// Whether the rest of its tree may end by itself.
bool has_time(const Child& child) { return child.end && !child.end->passed(); }

void kill_overdue(const Spawner& spawner) {
  for (const auto& [id, child] : spawner.children) {
    if (child.end && child.end->passed() && !child.exit) kill_tree(child.pid);
  }
}

void handle(Spawner& spawner, const protocol::Pause& request) {
  const auto found = spawner.children.find(request.worker);
  // A reaped leader's process group number may belong to somebody else.
  if (found == spawner.children.end() || found->second.exit) return;
  ::kill(-found->second.pid, request.stopped ? SIGSTOP : SIGCONT);
}

Child* child_with_pid(Spawner& spawner, pid_t pid) {
  for (auto& [id, child] : spawner.children) {
    if (child.pid == pid && !child.exit) return &child;
  }
  return nullptr;
}

/// Whether nobody is left: no child, and no orphan of one.
bool reap(Spawner& spawner) {
  int status = 0;
  rusage usage{};
  pid_t pid = 0;
  while ((pid = ::wait4(-1, &status, WNOHANG, &usage)) > 0) {
    Child* child = child_with_pid(spawner, pid);
    if (child == nullptr) continue;  // an orphan that we adopted
    Exited exit;
    exit.wait_status = status;
    exit.start_seconds = child->start_seconds;
    exit.seconds = steady_seconds() - child->start_seconds;
    exit.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    child->exit = std::move(exit);
  }
  return pid < 0 && errno == ECHILD;
}

// After reap(): processes that left their worker's tree come to us when their parent dies; none may outlive it.
bool orphans_gone(const Spawner& spawner) {
  bool none = true;
  for (pid_t pid : own_children()) {
    const bool known =
        std::ranges::any_of(spawner.children, [pid](const auto& entry) { return entry.second.pid == pid; });
    if (known) continue;
    none = false;
    const bool may_end = std::ranges::any_of(spawner.children, [pid](const auto& entry) {
      return has_time(entry.second) && ::getpgid(pid) == entry.second.pid;
    });
    if (!may_end) kill_tree(pid);
  }
  return none;
}

/// Ends the logs of a program, and puts what is kept of its output into its report.
void tell_output(Child& child) {
  for (ChildOutput& output : child.outputs) close_log(output);
  const ChildOutput& printed = child.outputs[0];
  const std::string complaints = kept_text(child.outputs[1]);
  child.exit->output = telling_text(printed) + complaints;
  child.exit->error_bytes = complaints.size();
  child.exit->printed_bytes = printed.bytes;
  child.exit->complained_bytes = child.outputs[1].bytes;
  child.exit->lost_told = printed.lost_told;
}

// Reports children whose leader was reaped as soon as nothing of their tree lives.
void report_exits(Spawner& spawner, bool nobody_left) {
  const bool any =
      std::ranges::any_of(spawner.children, [](const auto& entry) { return entry.second.exit.has_value(); });
  if (!any) return;
  const bool clear = nobody_left || orphans_gone(spawner);
  for (auto it = spawner.children.begin(); it != spawner.children.end();) {
    Child& child = it->second;
    if (!child.exit || group_lives(child.pid) || !clear) {
      if (child.exit && !has_time(child)) ::kill(-child.pid, SIGKILL);
      ++it;
      continue;
    }
    for (ChildOutput& output : child.outputs) {
      if (output.pipe) drain(output);
    }
    child.exit->worker = it->first;
    child.exit->flooded = std::ranges::any_of(child.outputs, &ChildOutput::flooded);
    if (child.outputs.size() == 2) tell_output(child);
    reply(spawner, *child.exit);
    it = spawner.children.erase(it);
  }
}

void drain_outputs(Spawner& spawner) {
  for (auto& [id, child] : spawner.children) {
    for (ChildOutput& output : child.outputs) {
      if (!output.pipe) continue;
      if (!drain(output)) output.pipe.reset();
      if (output.flooded && !child.exit) kill_tree(child.pid);
    }
  }
}

std::vector<pollfd> watched(const Spawner& spawner) {
  std::vector<pollfd> fds = {{spawner.agent.fd(), POLLIN, 0}, {spawner.signals.get(), POLLIN, 0}};
  for (const auto& [id, child] : spawner.children) {
    for (const ChildOutput& output : child.outputs) {
      if (output.pipe) fds.push_back({output.pipe.get(), POLLIN, 0});
    }
  }
  return fds;
}

void clear_signals(const Spawner& spawner) {
  signalfd_siginfo info{};
  while (::read(spawner.signals.get(), &info, sizeof info) > 0) {
  }
}

// One turn of the loop. False once the agent is gone.
bool turn(Spawner& spawner) {
  auto fds = watched(spawner);
  const bool clearing =
      std::ranges::any_of(spawner.children, [](const auto& entry) { return entry.second.exit.has_value(); });
  const bool ending =
      std::ranges::any_of(spawner.children, [](const auto& entry) { return entry.second.end.has_value(); });
  ::poll(fds.data(), fds.size(), clearing ? 2 : ending ? 20 : 1000);
  if ((fds[0].revents & (POLLIN | POLLHUP)) != 0) {
    if (!spawner.agent.receive_available()) return false;
    while (const auto frame = spawner.agent.next()) {
      std::visit([&](const auto& request) { handle(spawner, request); }, protocol::parse_spawner_request(*frame));
    }
  }
  clear_signals(spawner);
  drain_outputs(spawner);
  kill_overdue(spawner);
  const bool nobody_left = reap(spawner);
  report_exits(spawner, nobody_left);
  return true;
}

}  // namespace

void stand_apart(const char* name) {
  ::setsid();
  ::prctl(PR_SET_NAME, name);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (int ignored : {SIGUSR1, SIGUSR2, SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(ignored, SIG_IGN);
}

void run_spawner(UniqueFd link) {
  constexpr double end_seconds = 5;
  stand_apart("regatta-spawner");
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &mask, nullptr);
  Spawner spawner{FrameSocket(std::move(link)), UniqueFd(::signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK)), {}};
  int status = EXIT_SUCCESS;
  try {
    while (turn(spawner)) {
    }
  } catch (const PeerLost&) {
    // The agent died while we wrote to it: the same as the end of its stream.
  } catch (const std::exception& error) {
    log::error(fmt::format("spawner: {}", error.what()));
    status = EXIT_FAILURE;
  }
  end_own_children(Deadline::after(end_seconds));
  ::_exit(status);
}

}  // namespace regatta::launcher
