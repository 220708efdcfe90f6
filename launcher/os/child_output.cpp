#include "os/child_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "regatta/base/error.hpp"

namespace regatta::launcher {

ChildOutput make_output(UniqueFd& writing_end, std::string log_path) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw InternalError(errno_text("pipe (too many open files?)", errno));
  writing_end = UniqueFd(ends[1]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  ChildOutput output;
  output.pipe = UniqueFd(ends[0]);
  output.log_path = std::move(log_path);
  return output;
}

namespace {

UniqueFd log_at(const std::string& path) {
  return UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
}

void keep(ChildOutput& output, const char* data, std::size_t size) {
  output.bytes += size;
  if (!output.log_path.empty()) {
    // A full disk must not stop the child: its log is a help, not a result.
    if (!output.log) output.log = log_at(output.log_path);
    [[maybe_unused]] const auto written = ::write(output.log.get(), data, size);
  } else {
    output.text.append(data, size);
    if (output.text.size() > 2 * max_output_bytes) output.text.erase(0, output.text.size() - max_output_bytes);
  }
}

}  // namespace

bool drain(ChildOutput& output) {
  std::array<char, 65536> buffer;
  while (output.bytes < max_log_bytes) {
    const ssize_t got = ::read(output.pipe.get(), buffer.data(), buffer.size());
    if (got == 0) return false;
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    keep(output, buffer.data(), static_cast<std::size_t>(got));
  }
  output.flooded = true;
  return false;
}

std::string kept_text(const ChildOutput& output) {
  const std::size_t size = std::min<std::size_t>(output.text.size(), max_output_bytes);
  return output.text.substr(output.text.size() - size);
}

UniqueFd open_log(const std::string& path) {
  UniqueFd log = log_at(path);
  if (!log) throw InternalError(errno_text("cannot open the log '" + path + "'", errno));
  return log;
}

}  // namespace regatta::launcher
