#include "host/other_programs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>

namespace regatta::launcher {
namespace {

constexpr double busy_share = 0.2;
constexpr double least_seconds = 0.2;  // 20 ticks of 10 ms of one core
constexpr double visible_share = 0.1;  // a named program must have taken this part of what others took

double ticks_per_second() {
  static const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return ticks;
}

bool share_cores(const SlotGroup& group, const OwnSlot& slot) {
  return std::ranges::find_first_of(group.cpus, slot.cpus) != group.cpus.end();
}

template <class T>
void merge_into(std::vector<T>& sorted, const std::vector<T>& more) {
  sorted.insert(sorted.end(), more.begin(), more.end());
  std::ranges::sort(sorted);
  sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
}

std::optional<pid_t> pid_of(const std::filesystem::path& entry) {
  const std::string name = entry.filename();
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return pid;
}

}  // namespace

std::vector<SlotGroup> groups_of(const std::vector<OwnSlot>& slots) {
  std::vector<SlotGroup> groups;
  for (const OwnSlot& slot : slots) {
    SlotGroup merged;
    merge_into(merged.agents, {slot.agent});
    merge_into(merged.cpus, slot.cpus);
    std::erase_if(groups, [&](const SlotGroup& group) {
      if (!share_cores(group, slot)) return false;
      merge_into(merged.agents, group.agents);
      merge_into(merged.cpus, group.cpus);
      return true;
    });
    groups.push_back(std::move(merged));
  }
  std::ranges::sort(groups, {}, &SlotGroup::cpus);
  return groups;
}

// man proc_pid_stat: "pid (name) state ppid ..."; the name may hold blanks and brackets. Behind it, counted from the
// state: 11 to 14 are utime, stime, cutime and cstime, 36 is the core.
std::optional<ProcessTimes> process_times(const MachineFolders& folders, pid_t process) {
  const std::string line = first_line(folders.proc / std::to_string(process) / "stat");
  const auto name_begin = line.find('(');
  const auto name_end = line.rfind(')');
  if (name_begin == std::string::npos || name_end == std::string::npos) return std::nullopt;
  std::istringstream rest(line.substr(name_end + 1));
  const std::vector<std::string> words{std::istream_iterator<std::string>(rest), {}};
  constexpr std::size_t user = 11;
  constexpr std::size_t cpu = 36;
  if (words.size() <= cpu) return std::nullopt;
  const auto seconds = [&](std::size_t word) {
    return std::strtod(words[user + word].c_str(), nullptr) / ticks_per_second();
  };
  return ProcessTimes{line.substr(name_begin + 1, name_end - name_begin - 1), seconds(0) + seconds(1),
                      seconds(2) + seconds(3), std::atoi(words[cpu].c_str())};
}

std::map<pid_t, ProcessTimes> other_processes(const MachineFolders& folders, const std::set<pid_t>& own) {
  std::map<pid_t, ProcessTimes> found;
  for (const auto& entry : entries(folders.proc)) {
    const auto pid = pid_of(entry);
    if (!pid || own.contains(*pid)) continue;
    if (auto times = process_times(folders, *pid)) found.emplace(*pid, std::move(*times));
  }
  return found;
}

// A child that ends moves its time to whoever waits for it, so that the sum over a tree never falls.
SlotReading slot_reading(const MachineFolders& folders, const Counters& counters, const std::set<pid_t>& own) {
  SlotReading reading{counters.at_seconds, counters.busy_seconds, 0};
  for (const pid_t process : own) {
    if (const auto times = process_times(folders, process))
      reading.own_seconds += times->seconds + times->ended_seconds;
  }
  return reading;
}

std::optional<double> share_of_others(const SlotReading& before, const SlotReading& after, std::size_t cpus) {
  const double core_seconds = (after.at_seconds - before.at_seconds) * static_cast<double>(cpus);
  if (!before.busy_seconds || !after.busy_seconds || core_seconds < least_seconds) return std::nullopt;
  const double others = (*after.busy_seconds - *before.busy_seconds) - (after.own_seconds - before.own_seconds);
  return std::clamp(others / core_seconds, 0.0, 1.0);
}

std::string worst_program(const std::map<pid_t, ProcessTimes>& before, const std::map<pid_t, ProcessTimes>& after,
                          const std::vector<int>& cpus, double others_seconds) {
  std::map<std::string, double> seconds;
  for (const auto& [pid, now] : after) {
    if (std::ranges::find(cpus, now.cpu) == cpus.end()) continue;
    const auto known = before.find(pid);
    const bool is_same = known != before.end() && known->second.seconds <= now.seconds;
    seconds[now.name] += now.seconds - (is_same ? known->second.seconds : 0);
  }
  const auto worst = std::ranges::max_element(seconds, {}, [](const auto& each) { return each.second; });
  if (worst == seconds.end() || worst->second < visible_share * others_seconds) return {};
  return worst->first;
}

bool is_busy(const OthersUse& use) { return use.share > busy_share; }

std::string busy_sentence(const OthersUse& use) {
  const std::string most =
      use.worst.empty() ? "they cannot be seen from here, perhaps outside this container" : "most: " + use.worst;
  return fmt::format(
      "other programs use {:.0f} % of the cores that this run measures on ({}). Stop them or wait: until then only "
      "large differences can be told",
      100 * use.share, most);
}

std::string busy_clause(const OthersUse& use) {
  const std::string most = use.worst.empty() ? "" : fmt::format(" (most: {})", use.worst);
  return fmt::format("other programs use {:.0f} % of these cores{}", 100 * use.share, most);
}

}  // namespace regatta::launcher
