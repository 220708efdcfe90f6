#include "host/proc_counters.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <memory>
#include <utility>

#include "host/host.hpp"
#include "regatta/base/clock.hpp"

namespace regatta::launcher {
namespace {

constexpr std::size_t status_bytes = std::size_t{1} << 14;        // lists of allowed cores included
constexpr std::size_t largest_file_bytes = std::size_t{1} << 18;  // /proc/stat of a host with thousands of cores
constexpr double slowest_read_seconds = 200e-6;  // some kernels wait for an answer of the core when asked its frequency
// user nice system idle iowait irq softirq steal
constexpr std::size_t idle_column = 3;
constexpr std::size_t iowait_column = 4;
constexpr std::size_t steal_column = 7;

/// The integer behind blanks, tabs and a colon at `text`; moves `text` behind it.
std::optional<std::int64_t> next_integer(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t:"), text.size()));
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<std::int64_t> integer_after(std::string_view text, std::string_view name) {
  const auto at = text.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + name.size());
  return next_integer(text);
}

struct FolderCloser {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

void forget_peak_of(pid_t process) {
  std::ofstream(fmt::format("/proc/{}/clear_refs", process)) << "5";  // man proc_pid_clear_refs
}

std::uint64_t peak_bytes_of(pid_t process) { return MemorySource(process).read().peak_bytes; }

MemorySource::MemorySource(pid_t process) : status_(fmt::format("/proc/{}/status", process)), buffer_(status_bytes) {}

MemorySource::Resident MemorySource::read() {
  const auto status = status_.read(buffer_);
  const auto bytes_of = [&](const char* name) {
    const auto kibibytes = status ? integer_after(*status, name) : std::nullopt;
    return static_cast<std::uint64_t>(kibibytes.value_or(0)) * 1024;
  };
  return {bytes_of("VmHWM"), bytes_of("VmRSS")};
}

KernelFile::KernelFile(const std::filesystem::path& path) : KernelFile(AT_FDCWD, path.string()) {}

KernelFile::KernelFile(int folder_fd, const std::string& name)
    : fd_(::openat(folder_fd, name.c_str(), O_RDONLY | O_CLOEXEC)) {}

std::optional<std::string_view> KernelFile::read(std::vector<char>& buffer) const {
  // The kernel writes the whole text of such a file for one call, so a second one would only tell that nothing follows.
  const ssize_t got = fd_ ? ::pread(fd_.get(), buffer.data(), buffer.size(), 0) : 0;
  if (got <= 0) return std::nullopt;
  return std::string_view(buffer.data(), static_cast<std::size_t>(got));
}

CounterSource::CounterSource(std::optional<pid_t> worker, std::vector<int> cpus, const MachineFolders& folders)
    : cpus_(std::move(cpus)), has_worker_(worker), stat_(folders.proc / "stat"), buffer_(largest_file_bytes) {
  const std::string process = worker ? std::to_string(*worker) : "self";
  if (worker)
    task_folder_ = UniqueFd(::open((folders.proc / process / "task").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const auto& folder : cpu_group_folders(folders, process)) {
    KernelFile file(folder / "cpu.stat");
    const auto text = file.read(buffer_);
    if (text && integer_after(*text, "nr_throttled")) cpu_stats_.push_back(std::move(file));
  }
  for (int cpu : cpus_) {
    KernelFile file(folders.sys / fmt::format("devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", cpu));
    const double start = steady_seconds();
    if (file.read(buffer_) && steady_seconds() - start < slowest_read_seconds) frequencies_.push_back(std::move(file));
  }
}

std::optional<Counters> CounterSource::read() {
  Counters counters;
  if (has_worker_) {
    counters.threads = read_threads();
    if (!counters.threads) return std::nullopt;
  }
  counters.at_seconds = steady_seconds();
  read_throttling(counters);
  read_cores(counters);
  read_clock(counters);
  return counters;
}

// The folder has one link for each thread, so its status tells of new ones; one that ended cannot be read any more.
std::optional<std::map<pid_t, ThreadCounters>> CounterSource::read_threads() {
  struct stat info {};
  if (!task_folder_ || ::fstat(task_folder_.get(), &info) != 0) return std::nullopt;
  std::map<pid_t, ThreadCounters> found;
  const bool complete = info.st_nlink == threads_.size() + 2 && read_known_threads(found);
  if (complete && !found.empty()) return found;
  find_threads();
  read_known_threads(found);
  if (found.empty()) return std::nullopt;
  return found;
}

bool CounterSource::read_known_threads(std::map<pid_t, ThreadCounters>& found) {
  found.clear();
  for (auto& [id, thread] : threads_) {
    if (read_thread(id, thread)) found.emplace_hint(found.end(), id, thread.last);
  }
  return found.size() == threads_.size();
}

// "run wait turns" in nanoseconds and times; three zeros if the kernel was told not to count. A thread without a turn
// since the last reading was not switched either: most threads of a framework are such.
bool CounterSource::read_thread(pid_t id, Thread& thread) {
  if (auto text = thread.schedstat.read(buffer_)) {
    const auto run = next_integer(*text);
    const auto wait = next_integer(*text);
    const auto turns = next_integer(*text);
    if (run.value_or(0) > 0 && wait && turns) {
      thread.last.run_seconds = static_cast<double>(*run) * 1e-9;
      thread.last.wait_seconds = static_cast<double>(*wait) * 1e-9;
      if (std::exchange(thread.turns, *turns) == *turns) return true;
    }
  } else if (thread.turns >= 0) {
    return false;
  }
  return read_switches(id, thread.last);
}

// These are opened only for who needs them: descriptors are scarce.
bool CounterSource::read_switches(pid_t id, ThreadCounters& counters) {
  const auto file = [&](const char* name) { return KernelFile(task_folder_.get(), fmt::format("{}/{}", id, name)); };
  if (const auto sched = file("sched").read(buffer_)) {
    counters.involuntary_switches = integer_after(*sched, "nr_involuntary_switches");
    counters.migrations = integer_after(*sched, "nr_migrations");
    if (counters.involuntary_switches) return true;
  }
  const auto status = file("status").read(buffer_);
  if (!status) return false;
  counters.involuntary_switches = integer_after(*status, "nonvoluntary_ctxt_switches");
  return true;
}

void CounterSource::find_threads() {
  const UniqueFd again(::openat(task_folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, FolderCloser> folder(again ? ::fdopendir(::dup(again.get())) : nullptr);
  std::map<pid_t, Thread> known = std::exchange(threads_, {});
  for (const dirent* entry = nullptr; folder && (entry = ::readdir(folder.get())) != nullptr;) {
    std::string_view name = entry->d_name;
    const auto id = next_integer(name);
    if (!id || !name.empty()) continue;
    const auto thread = static_cast<pid_t>(*id);
    if (auto kept = known.extract(thread))
      threads_.insert(std::move(kept));
    else
      threads_.emplace(thread,
                       Thread{KernelFile(task_folder_.get(), std::string(entry->d_name) + "/schedstat"), {}, -1});
  }
}

void CounterSource::read_throttling(Counters& counters) {
  for (const KernelFile& file : cpu_stats_) {
    const auto text = file.read(buffer_);
    if (!text) continue;
    counters.throttled_events =
        counters.throttled_events.value_or(0) + integer_after(*text, "nr_throttled").value_or(0);
    const auto microseconds = integer_after(*text, "throttled_usec");  // version 2
    const auto nanoseconds = integer_after(*text, "throttled_time");   // version 1
    if (!microseconds && !nanoseconds) continue;
    counters.throttled_seconds =
        counters.throttled_seconds.value_or(0) +
        (microseconds ? static_cast<double>(*microseconds) * 1e-6 : static_cast<double>(*nanoseconds) * 1e-9);
  }
}

// Each thread lists the processes that it started.
bool CounterSource::has_children() {
  for (const auto& [id, thread] : threads_) {
    const auto children = KernelFile(task_folder_.get(), fmt::format("{}/children", id)).read(buffer_);
    if (children) return true;
  }
  return false;
}

void CounterSource::read_cores(Counters& counters) {
  counters.steal_seconds.resize(cpus_.size());
  const auto text = stat_.read(buffer_);
  if (!text) return;
  static const auto ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  for (std::size_t i = 0; i < cpus_.size(); ++i) {
    const auto at = text->find(fmt::format("\ncpu{} ", cpus_[i]));  // the first line is the sum of all
    if (at == std::string_view::npos) continue;
    std::string_view line = text->substr(at + 1, text->find('\n', at + 1) - at - 1);
    line.remove_prefix(line.find(' '));
    std::int64_t busy_ticks = 0;
    std::optional<std::int64_t> ticks;
    for (std::size_t column = 0; column <= steal_column; ++column) {
      ticks = next_integer(line);
      if (column != idle_column && column != iowait_column && column != steal_column) busy_ticks += ticks.value_or(0);
    }
    if (!ticks) continue;
    counters.steal_seconds[i] = static_cast<double>(*ticks) / ticks_per_second;
    counters.busy_seconds = counters.busy_seconds.value_or(0) + static_cast<double>(busy_ticks) / ticks_per_second;
  }
}

void CounterSource::read_clock(Counters& counters) {
  double kilohertz = 0;
  for (const KernelFile& file : frequencies_) {
    auto text = file.read(buffer_);
    const auto value = text ? next_integer(*text) : std::nullopt;
    if (!value) return;
    kilohertz += static_cast<double>(*value);
  }
  if (!frequencies_.empty()) counters.megahertz = kilohertz / 1000 / static_cast<double>(frequencies_.size());
}

}  // namespace regatta::launcher
