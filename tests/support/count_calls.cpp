// count_calls OUT PROGRAM ...: runs the program and counts the system calls of all its descendants, by name of the
// process, with the bytes that they wrote. One line each in OUT: NAME CALLS BYTES.
// count_calls OUT --attach PID SECONDS: the same of one thread that runs already, for so long.
#include <linux/audit.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <string>

namespace {

constexpr int whole_tree = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                           PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;

struct Counts {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
};

struct Thread {
  std::string name;
  bool inside = false;
  std::uint64_t call = 0;
};

std::string name_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

bool writes(std::uint64_t call) {
  return call == SYS_write || call == SYS_pwrite64 || call == SYS_writev || call == SYS_sendmsg || call == SYS_sendto;
}

void count(Thread& thread, pid_t pid, std::map<std::string, Counts>& all) {
  __ptrace_syscall_info info{};
  if (ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), pid, sizeof info, &info) <= 0) return;
  if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
    if (thread.name.empty()) thread.name = name_of(pid);
    thread.call = info.entry.nr;
    ++all[thread.name].calls;
  } else if (info.op == PTRACE_SYSCALL_INFO_EXIT && writes(thread.call) && info.exit.rval > 0) {
    all[thread.name].bytes += static_cast<std::uint64_t>(info.exit.rval);
  }
}

/// A stop that is no system call: what is to be handed to the process, if anything.
int signal_of(int status, Thread& thread, pid_t pid) {
  const int event = status >> 16;
  if (event == PTRACE_EVENT_EXEC) thread.name = name_of(pid);
  return event == 0 ? WSTOPSIG(status) : 0;
}

void follow(std::map<std::string, Counts>& all) {
  std::map<pid_t, Thread> threads;
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, __WALL);
    if (pid < 0) return;  // all ended, or the time is up
    if (!WIFSTOPPED(status)) {
      threads.erase(pid);
      continue;
    }
    Thread& thread = threads[pid];
    if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
      count(thread, pid, all);
      ptrace(PTRACE_SYSCALL, pid, nullptr, 0);
    } else if (status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) != SIGTRAP) {
      ptrace(PTRACE_LISTEN, pid, nullptr, 0);  // a paused process stays paused
    } else {
      ptrace(PTRACE_SYSCALL, pid, nullptr, signal_of(status, thread, pid));
    }
  }
}

bool start(char** command) {
  const pid_t child = fork();
  if (child == 0) {
    raise(SIGSTOP);
    execvp(command[0], command);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, WUNTRACED);
  if (ptrace(PTRACE_SEIZE, child, nullptr, whole_tree) != 0) return false;
  return kill(child, SIGCONT) == 0;
}

bool attach(pid_t pid, unsigned seconds) {
  struct sigaction action {};
  action.sa_handler = [](int) {};  // without SA_RESTART: the wait ends
  sigaction(SIGALRM, &action, nullptr);
  alarm(seconds);
  return ptrace(PTRACE_SEIZE, pid, nullptr, PTRACE_O_TRACESYSGOOD) == 0 &&
         ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const bool attaches = argc == 5 && std::string(argv[2]) == "--attach";
  if (!(attaches ? attach(std::stoi(argv[3]), static_cast<unsigned>(std::stoi(argv[4]))) : start(argv + 2))) return 3;
  std::map<std::string, Counts> all;
  follow(all);
  std::ofstream out(argv[1]);
  for (const auto& [name, counts] : all) out << name << ' ' << counts.calls << ' ' << counts.bytes << '\n';
  return out.good() ? 0 : 1;
}
