#include "workers/worker_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <thread>

#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"

namespace regatta::testing {
namespace {

constexpr double patience_seconds = 240;  // an emulated device takes a minute to choose its kernels on a slow machine
constexpr int link_fd = 3;
constexpr int first_free_fd = 10;  // above what the child's own descriptors become

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

UniqueFd moved_up(int fd) {
  UniqueFd low(fd);
  return UniqueFd(::fcntl(low.get(), F_DUPFD_CLOEXEC, first_free_fd));
}

}  // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& argv, const std::vector<std::string>& variables) {
  std::array<int, 2> pair{};
  expect(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) == 0, "a socket pair");
  const UniqueFd theirs = moved_up(pair[1]);
  link_ = moved_up(pair[0]);
  output_ = moved_up(::memfd_create("stdout", MFD_CLOEXEC));

  std::vector<std::string> words = argv;
  std::vector<std::string> environment = variables;
  for (char** variable = environ; *variable != nullptr; ++variable) environment.emplace_back(*variable);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output_.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, theirs.get(), link_fd);
  const int failed = ::posix_spawn(&pid_, words.front().c_str(), &actions, nullptr, pointers(words).data(),
                                   pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw InternalError(errno_text("start " + words.front(), failed));
}

WorkerProcess::~WorkerProcess() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

protocol::WorkerReply WorkerProcess::ask(const protocol::WorkerRequest& request) {
  send(protocol::encode(protocol::to_frame(request)));
  return receive();
}

protocol::Frame WorkerProcess::receive_frame() {
  std::array<char, 65536> piece;
  const Deadline deadline = Deadline::after(patience_seconds);
  for (;;) {
    if (auto frame = reader_.next()) return *std::move(frame);
    pollfd waiting{link_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, 100) == 1) {
      const ssize_t count = ::read(link_.get(), piece.data(), piece.size());
      if (count <= 0) throw PeerLost("the worker closed its link");
      reader_.feed({piece.data(), static_cast<std::size_t>(count)});
    }
    if (deadline.passed()) throw PeerLost("no answer");
  }
}

void WorkerProcess::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(link_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0) throw PeerLost(errno_text("write a request", errno));
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

int WorkerProcess::wait() {
  const Deadline deadline = Deadline::after(patience_seconds);
  int status = 0;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (deadline.passed()) throw PeerLost("the worker does not end");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string WorkerProcess::standard_output() {
  std::string text(static_cast<std::size_t>(::lseek(output_.get(), 0, SEEK_END)), '\0');
  expect(::pread(output_.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()),
         "the output is read");
  return text;
}

}  // namespace regatta::testing
