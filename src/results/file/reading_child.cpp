#include "results/file/reading_child.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "regatta/base/confined_child.hpp"
#include "regatta/base/error.hpp"
#include "results/file/file.hpp"

namespace regatta::results::hdf5 {
namespace {

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;
constexpr std::uint64_t longest_request = std::uint64_t{1} << 20;
constexpr double patience_seconds = 1;  // between the end of the link and that of the child

bool read_all(void* to, std::size_t count) {
  auto* at = static_cast<char*>(to);
  while (count > 0) {
    const ssize_t got = ::read(link_of_child, at, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

/// Ends the child if nobody listens.
void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::send(link_of_child, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) ::_exit(0);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

std::optional<Request> next_request() {
  std::uint64_t size = 0;
  if (!read_all(&size, sizeof size) || size > longest_request) return std::nullopt;
  std::string bytes(size, '\0');
  if (!read_all(bytes.data(), bytes.size())) return std::nullopt;
  return decode_request(bytes);
}

/// The result of `make`, or the error that it threw.
template <class Make>
Reply reply_of(const ReadingLimits& limits, Make&& make) {
  try {
    return Answer(make());
  } catch (const Hdf5Error& error) {
    return Refusal{true, error.what()};
  } catch (const std::bad_alloc&) {
    return Refusal{false, fmt::format("it asks for more than the {} GiB of memory that a file of its size may take",
                                      limits.memory_bytes / gibibyte)};
  } catch (const std::exception& error) {
    return Refusal{false, error.what()};
  }
}

/// While the launcher takes a column, the one behind it is read.
class Replies {
 public:
  Replies(const File& file, const ReadingLimits& limits) : file_(file), limits_(limits) {}

  Reply take(const Request& request) {
    if (next_ != request) return read(request);
    next_.reset();
    return std::move(ahead_);
  }

  void read_on(const Request& last) {
    const auto next = column_behind(file_, last);
    if (!next) return;
    ahead_ = read(*next);
    next_ = next;
  }

 private:
  Reply read(const Request& request) const {
    return reply_of(limits_, [&] { return answer(file_, request); });
  }

  const File& file_;
  const ReadingLimits& limits_;
  std::optional<Request> next_;
  Reply ahead_;
};

void serve(const std::filesystem::path& path, const ReadingLimits& limits) {
  const QuietErrors quiet;
  limit_child({limits.memory_bytes, limits.seconds, 0});
  std::optional<File> file;
  const Reply opened = reply_of(limits, [&] {
    file.emplace(open_to_read(path));
    return std::monostate();
  });
  open_no_more_files();  // none but its own
  send_reply(opened, write_all);
  if (!file) return;
  Replies replies(*file, limits);
  while (const auto request = next_request()) {
    send_reply(replies.take(*request), write_all);
    replies.read_on(*request);
  }
}

[[noreturn]] void run_child(const std::filesystem::path& path, const ReadingLimits& limits, int link, pid_t parent) {
  confine(link, parent);
  try {
    serve(path, limits);
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);  // handlers of the parent's libraries are not ours to run
}

}  // namespace

ReadingLimits limits_of(std::uint64_t file_bytes) {
  constexpr double bytes_a_second = 20e6;
  constexpr std::uint64_t bytes_of_memory = 16;  // for each of a file, which is compressed
  return {2 * gibibyte + bytes_of_memory * file_bytes, 8 + static_cast<double>(file_bytes) / bytes_a_second,
          file_bytes};
}

ReadingChild::ReadingChild(const std::filesystem::path& file, ReadingLimits limits) : limits_(limits) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw InternalError(errno_text("socketpair (too many open files?); raise `ulimit -n`", errno));
  link_ = UniqueFd(ends[0]);
  const timeval moment{0, 100'000};  // how often a wait looks at its deadline
  for (const int wait : {SO_RCVTIMEO, SO_SNDTIMEO}) ::setsockopt(link_.get(), SOL_SOCKET, wait, &moment, sizeof moment);
  const UniqueFd other(ends[1]);  // closed here, so that the child's death ends the link
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ < 0) throw InternalError(errno_text("fork (too many processes?); raise `ulimit -u`", errno));
  if (process_ == 0) run_child(file, limits, other.get(), parent);
}

ReadingChild::~ReadingChild() {
  link_.reset();
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Answer ReadingChild::ask(const Request& request) {
  const Deadline deadline = Deadline::after(limits_.seconds);
  if (!has_opened_) next_answer({}, deadline);
  has_opened_ = true;
  const std::string bytes = encode(request);
  const std::uint64_t size = bytes.size();
  send({reinterpret_cast<const char*>(&size), sizeof size}, deadline);
  send(bytes, deadline);
  return next_answer(request, deadline);
}

Answer ReadingChild::next_answer(const Request& request, Deadline deadline) {
  const auto receive = [&](void* to, std::uint64_t count) { fill(static_cast<char*>(to), count, deadline); };
  Reply reply = receive_reply(receive, request, {limits_.memory_bytes, limits_.rows});
  if (const auto* refusal = std::get_if<Refusal>(&reply)) {
    if (refusal->is_of_library) throw Hdf5Error(refusal->what);
    throw InputError(refusal->what);
  }
  return std::move(std::get<Answer>(reply));
}

void ReadingChild::expect_time_left(Deadline deadline) const {
  if (!deadline.passed()) return;
  throw InputError(fmt::format("reading it took more than {:.0f} s, which no file of its size takes (it is damaged)",
                               limits_.seconds));
}

/// The file may name what is asked for: a long name waits until the child takes it.
void ReadingChild::send(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    expect_time_left(deadline);
    const ssize_t wrote = ::send(link_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (wrote < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (wrote <= 0) throw_death();
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

void ReadingChild::fill(char* bytes, std::uint64_t count, Deadline deadline) {
  while (count > 0) {
    expect_time_left(deadline);
    const ssize_t got = ::recv(link_.get(), bytes, count, MSG_WAITALL);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) throw_death();
    bytes += got;
    count -= static_cast<std::uint64_t>(got);
  }
}

void ReadingChild::throw_death() {
  const int status = end_of_child(process_, patience_seconds);
  process_ = -1;
  const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (by == SIGXCPU || by == SIGKILL) {
    throw InputError(
        fmt::format("reading it took more than {:.0f} s of the processor, which no file of its size takes "
                    "(it is damaged)",
                    limits_.seconds));
  }
  throw InputError(fmt::format("the process that read it ended {} (it is damaged, or was made to do harm)",
                               by == 0 ? "by itself" : fmt::format("by signal {}", by)));
}

}  // namespace regatta::results::hdf5
