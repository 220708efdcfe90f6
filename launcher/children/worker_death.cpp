#include "children/worker_death.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "os/child_output.hpp"
#include "regatta/base/units.hpp"

namespace regatta::launcher {
namespace {

using sweep::FailureKind;

constexpr double near_limit = 0.9;  // ru_maxrss misses what was asked for and refused

bool near_memory_limit(const protocol::Exited& exit, std::uint64_t memory_bytes) {
  return memory_bytes > 0 && static_cast<double>(exit.peak_bytes) > near_limit * static_cast<double>(memory_bytes);
}

}  // namespace

Death cause_of_death(const protocol::Exited& exit, std::uint64_t memory_bytes, std::uint64_t oom_kills) {
  if (exit.flooded) {
    return {FailureKind::flooded, fmt::format("printed more than {} and was stopped", format_size(max_log_bytes))};
  }
  std::string how = "ended without a word";
  if (WIFSIGNALED(exit.wait_status)) {
    const int signal = WTERMSIG(exit.wait_status);
    how = fmt::format("killed by signal {} ({})", signal, ::strsignal(signal));
    if (exit.with_spawner) how += " with its spawner, which was killed or stopped (by the worker itself?)";
    if (signal == SIGKILL && oom_kills > 0) {
      return {FailureKind::out_of_memory, how + "; the kernel was out of memory"};
    }
  } else if (WIFEXITED(exit.wait_status) && WEXITSTATUS(exit.wait_status) != 0) {
    how = fmt::format("exited with status {}", WEXITSTATUS(exit.wait_status));
  }
  if (near_memory_limit(exit, memory_bytes)) {
    return {FailureKind::out_of_memory,
            fmt::format("{} at {} of limits.memory {}", how, format_size(exit.peak_bytes), format_size(memory_bytes))};
  }
  return {FailureKind::crashed, how};
}

std::string log_tail(const std::string& path, std::uintmax_t from) {
  constexpr std::streamoff most_bytes = 600;
  std::ifstream log(path, std::ios::binary | std::ios::ate);
  if (!log) return {};
  const std::streamoff size = log.tellg() - std::min<std::streamoff>(static_cast<std::streamoff>(from), log.tellg());
  log.seekg(-std::min(size, most_bytes), std::ios::end);
  std::string tail{std::istreambuf_iterator<char>(log), {}};
  if (size > most_bytes) tail.erase(0, std::min(tail.find('\n') + 1, tail.size()));
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == ' ')) tail.pop_back();
  // Logs may hold anything; what goes into JSON and tables is printable ASCII and line ends.
  for (char& c : tail) {
    if (c != '\n' && (c < ' ' || c > '~')) c = '?';
  }
  return tail;
}

}  // namespace regatta::launcher
