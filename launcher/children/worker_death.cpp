#include "children/worker_death.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "os/child_output.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/base/units.hpp"

namespace regatta::launcher {
namespace {

using sweep::FailureKind;

constexpr std::size_t most_words_bytes = 600;
constexpr std::size_t most_words_lines = 12;
constexpr double near_limit = 0.9;  // ru_maxrss misses what was asked for and refused

bool near_memory_limit(const protocol::Exited& exit, std::uint64_t memory_bytes) {
  return memory_bytes > 0 && static_cast<double>(exit.peak_bytes) > near_limit * static_cast<double>(memory_bytes);
}

}  // namespace

Death cause_of_death(const protocol::Exited& exit, std::uint64_t memory_bytes, std::uint64_t oom_kills) {
  if (exit.flooded) {
    return {FailureKind::flooded, fmt::format("printed more than {} and was stopped", format_size(max_log_bytes))};
  }
  std::string how = "exited with status 0 before it answered";
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

std::string module_in_the_way(const std::vector<std::string>& argv) {
  // Files that people write beside their scripts under a name that is taken.
  constexpr const char* needed[] = {
      "abc",      "ast",    "atexit",    "bisect",  "calendar", "code",      "codecs",    "collections", "copy",
      "csv",      "ctypes", "datetime",  "decimal", "email",    "enum",      "errno",     "fcntl",       "functools",
      "hashlib",  "heapq",  "http",      "inspect", "io",       "itertools", "json",      "keyword",     "locale",
      "logging",  "math",   "numbers",   "numpy",   "operator", "os",        "pathlib",   "pickle",      "platform",
      "queue",    "random", "re",        "regatta", "resource", "secrets",   "select",    "shutil",      "signal",
      "site",     "socket", "stat",      "string",  "struct",   "tempfile",  "threading", "time",        "token",
      "tokenize", "torch",  "traceback", "types",   "typing",   "uuid",      "warnings",  "weakref",     "xml",
      "zipfile",  "zlib"};
  const auto script = std::ranges::find_if(argv, [](const std::string& word) { return word.ends_with(".py"); });
  if (script == argv.end()) return {};
  const std::filesystem::path folder = std::filesystem::path(*script).parent_path();
  std::error_code none;
  for (const char* name : needed) {
    const std::string file = std::string(name) + ".py";
    if (std::filesystem::is_regular_file(folder / file, none)) return file;
  }
  return {};
}

std::string last_words(std::string_view output) {
  const bool is_cut = output.size() > most_words_bytes;
  std::string tail(output.substr(is_cut ? output.size() - most_words_bytes : 0));
  if (is_cut) tail.erase(0, std::min(tail.find('\n') + 1, tail.size()));
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == ' ')) tail.pop_back();
  std::size_t begin = tail.size();
  for (std::size_t lines = 0; lines < most_words_lines && begin != std::string::npos && begin > 0; ++lines)
    begin = tail.rfind('\n', begin - 1);
  if (begin != std::string::npos && begin > 0) tail.erase(0, begin + 1);
  // Logs may hold anything; what goes into JSON and tables is text that any terminal shows.
  return clean(tail, Lines::kept);
}

std::string log_tail(const std::string& path) {
  std::ifstream log(path, std::ios::binary | std::ios::ate);
  if (!log) return {};
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(log.tellg(), 0));
  const std::size_t wanted = std::min(size, most_words_bytes + 1);  // one more says that there is more
  log.seekg(-static_cast<std::streamoff>(wanted), std::ios::end);
  return last_words(std::string{std::istreambuf_iterator<char>(log), {}});
}

}  // namespace regatta::launcher
