#include "regatta/base/lease.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "regatta/base/clock.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/base/unique_fd.hpp"

namespace regatta {
namespace {

using std::filesystem::path;

constexpr std::string_view file_stem = "owner.";
constexpr double look_again_seconds = 0.1;  // a takeover takes a minute of silence

std::string first_word(const path& file) {
  std::ifstream text(file);
  std::string word;
  text >> word;
  return word;
}

std::string variable(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const char* const value = std::getenv(name); value != nullptr && *value != '\0') return value;
  }
  return {};
}

/// One word, so that the record can be split at its spaces.
std::string word_of(const std::string& text) {
  std::string word = text;
  for (char& letter : word) {
    if (static_cast<unsigned char>(letter) <= ' ') letter = '_';
  }
  return word.empty() ? "-" : word;
}

std::string text_of_word(const std::string& word) { return word == "-" ? "" : word; }

std::string namespace_of_processes() {
  std::array<char, 64> name{};
  const ssize_t got = ::readlink("/proc/self/ns/pid", name.data(), name.size());
  return got > 0 ? std::string(name.data(), static_cast<std::size_t>(got)) : "";
}

/// The 22nd field of /proc/PID/stat; 0 where there is no such process.
std::uint64_t start_of(pid_t pid) {
  constexpr int fields_between = 19;  // behind the name in brackets and the state
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(file, line);
  const auto name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(line.substr(name_end + 1));
  std::string skipped;
  for (int i = 0; i < fields_between; ++i) fields >> skipped;
  std::uint64_t started = 0;
  fields >> started;
  return started;
}

std::optional<std::uint64_t> epoch_of(const std::string& name) {
  if (!name.starts_with(file_stem)) return std::nullopt;
  const std::string_view digits = std::string_view(name).substr(file_stem.size());
  std::uint64_t epoch = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), epoch);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return epoch;
}

std::optional<std::uint64_t> last_epoch(const path& folder) {
  std::optional<std::uint64_t> last;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    const auto epoch = epoch_of(entry.path().filename().string());
    if (epoch && (!last || *epoch > *last)) last = epoch;
  }
  return last;
}

std::int64_t nanoseconds_of(const timespec& time) {
  constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;
  return time.tv_sec * nanoseconds_per_second + time.tv_nsec;
}

/// A file that its owner has made and not written yet names nobody.
void parse(const std::string& text, std::uint64_t inode, LeaseRecord& record) {
  std::istringstream words(text);
  std::string state;
  std::string host;
  std::string system;
  std::string job;
  std::string life;
  std::uint64_t own_inode = 0;
  words >> state >> own_inode >> host >> system >> record.owner.pid >> record.owner.started >> job >> life;
  if (!words) return;
  record.released = state == "released" || own_inode != inode;
  record.owner.host = text_of_word(host);
  record.owner.system = text_of_word(system);
  record.owner.job = text_of_word(job);
  record.owner.life = text_of_word(life);
}

bool lives(const LeaseOwner& owner) {
  if (owner.pid <= 0) return false;
  if (::kill(owner.pid, 0) != 0 && errno != EPERM) return false;
  return start_of(owner.pid) == owner.started;
}

}  // namespace

std::string to_string(const LeaseOwner& owner) {
  if (owner.host.empty()) return "another process";
  const std::string process = fmt::format("process {} on {}", owner.pid, owner.host);
  return owner.job.empty() ? process : fmt::format("job {} ({})", owner.job, process);
}

LeaseOwner this_owner() {
  LeaseOwner own;
  own.host = word_of(host_name());
  own.system = word_of(first_word("/proc/sys/kernel/random/boot_id") + "/" + namespace_of_processes());
  own.pid = ::getpid();
  own.started = start_of(own.pid);
  own.job = variable({"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"});
  own.life = variable({"SLURM_RESTART_COUNT"});
  return own;
}

path lease_file(const path& folder, std::uint64_t epoch) { return folder / fmt::format("{}{}", file_stem, epoch); }

std::string lease_text(const LeaseOwner& owner, std::uint64_t inode, bool released) {
  return fmt::format("{} {} {} {} {} {} {} {}\n", released ? "released" : "held", inode, word_of(owner.host),
                     word_of(owner.system), owner.pid, owner.started, word_of(owner.job), word_of(owner.life));
}

std::optional<LeaseRecord> read_lease(const path& folder) {
  const auto epoch = last_epoch(folder);
  if (!epoch) return std::nullopt;
  // Opened, because a network file system looks at the server's state then.
  const UniqueFd file(::open(lease_file(folder, *epoch).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  LeaseRecord record;
  record.epoch = *epoch;
  if (!file || ::fstat(file.get(), &info) != 0) return record;
  record.touched_nanoseconds = nanoseconds_of(info.st_mtim);
  std::array<char, 1024> text{};
  const ssize_t got = ::pread(file.get(), text.data(), text.size(), 0);
  if (got > 0) parse(std::string(text.data(), static_cast<std::size_t>(got)), info.st_ino, record);
  return record;
}

OwnerState state_of(const LeaseRecord& record, const LeaseOwner& asker) {
  if (record.released) return OwnerState::ended;
  const LeaseOwner& owner = record.owner;
  if (owner.host == asker.host && owner.system == asker.system)
    return lives(owner) ? OwnerState::living : OwnerState::ended;
  // Slurm puts a job back into the queue once its processes are gone.
  if (!owner.job.empty() && owner.job == asker.job && owner.life != asker.life) return OwnerState::ended;
  return OwnerState::unknown;
}

std::optional<LeaseOwner> lease_owner(const path& folder) {
  const auto record = read_lease(folder);
  if (!record) return std::nullopt;
  LeaseOwner reader = this_owner();
  reader.job.clear();
  switch (state_of(*record, reader)) {
    case OwnerState::ended:
      return std::nullopt;
    case OwnerState::living:
      return record->owner;
    case OwnerState::unknown:
      break;
  }
  const double age_seconds = wall_seconds() - static_cast<double>(record->touched_nanoseconds) * 1e-9;
  return age_seconds < lease_stale_seconds ? std::optional(record->owner) : std::nullopt;
}

LeaseFence::LeaseFence(path folder, std::uint64_t epoch)
    : folder_(std::move(folder)), epoch_(epoch), file_(lease_file(folder_, epoch)) {
  struct stat info {};
  if (::stat(file_.c_str(), &info) == 0) inode_ = info.st_ino;
}

void LeaseFence::expect_own() {
  const double now = steady_seconds();
  if (now - looked_seconds_ < look_again_seconds) return;
  struct stat info {};
  if (inode_ != 0 && ::stat(file_.c_str(), &info) == 0 && info.st_ino == inode_) {
    looked_seconds_ = now;
    return;
  }
  const auto record = read_lease(folder_);
  if (!record) return;  // the folder was removed: nobody has taken it over
  throw FencedOff(fmt::format(
      "'{}' was taken over by {}, because this run gave no sign of life; it stops, and what it had acknowledged is "
      "kept. Wait for the other run, or choose another --out",
      folder_.string(), to_string(record->owner)));
}

}  // namespace regatta
