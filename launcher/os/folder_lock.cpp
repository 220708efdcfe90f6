#include "os/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/lease.hpp"
#include "regatta/base/log.hpp"

namespace regatta::launcher {
namespace {

using std::filesystem::path;

constexpr double moment_seconds = 0.5;
constexpr std::size_t trial_bytes = std::size_t{256} << 10;  // a journal's first records and a page of samples

constexpr useconds_t poll_microseconds = 20'000;

constexpr const char* lock_name = "lock";

path lock_file(const path& folder) { return folder / lock_name; }

/// A disk that has no room now may have some later, when the same command goes on.
bool is_full_or_broken(int error_number) {
  return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG || error_number == EIO;
}

[[noreturn]] void refuse(const path& folder, int error_number) {
  const std::string problem =
      fmt::format("cannot write in '{}': {} (results go there)", folder.string(), std::strerror(error_number));
  if (is_full_or_broken(error_number)) throw StorageError(problem + "; free space, then run the same command again");
  throw InputError(problem + "; change its permissions, or choose another folder with --out");
}

/// The folders that have to be made, outermost first.
std::vector<path> missing_folders(path folder) {
  std::vector<path> missing;
  std::error_code unknown;
  for (; !folder.empty() && !std::filesystem::exists(std::filesystem::symlink_status(folder, unknown));
       folder = folder.parent_path())
    missing.insert(missing.begin(), folder);
  return missing;
}

/// Takes back what a refused run made: folders that are empty but for the lock.
class Undo {
 public:
  explicit Undo(const path& folder) : folder_(folder), made_(missing_folders(folder)) {}
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;
  ~Undo() {
    if (kept_ || made_.empty()) return;
    ::unlink(lock_file(folder_).c_str());
    std::for_each(made_.rbegin(), made_.rend(), [](const path& folder) { ::rmdir(folder.c_str()); });
  }
  void keep() { kept_ = true; }

 private:
  path folder_;
  std::vector<path> made_;
  bool kept_ = false;
};

/// The lock in a folder that is held open. A link or a pipe in its place is not followed.
UniqueFd open_lock(const UniqueFd& held, const path& folder) {
  UniqueFd fd(::openat(held.get(), lock_name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  struct stat info {};
  if (!fd && errno != ELOOP) refuse(folder, errno);
  if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    throw InputError(fmt::format("'{}' is no regular file (a link or a pipe there is not ours); remove it",
                                 lock_file(folder).string()));
  }
  return fd;
}

/// The errno that a write to the locked folder gives; 0 if there is room.
int write_problem(const UniqueFd& held) {
  constexpr const char* name = ".room.tmp";  // always the same, so that the next run finds what a killed one left
  ::unlinkat(held.get(), name, 0);
  const UniqueFd fd(::openat(held.get(), name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return errno;
  const std::string bytes(trial_bytes, '\0');
  int problem = 0;
  for (std::size_t done = 0; done < bytes.size() && problem == 0;) {
    const ssize_t wrote = ::write(fd.get(), bytes.data() + done, bytes.size() - done);
    if (wrote > 0) done += static_cast<std::size_t>(wrote);
    if (wrote == 0) problem = ENOSPC;
    if (wrote < 0 && errno != EINTR) problem = errno;
  }
  if (problem == 0 && ::fsync(fd.get()) != 0) problem = errno;
  ::unlinkat(held.get(), name, 0);
  return problem;
}

/// Locks the file, if locks work there. A lock that somebody else holds shows that they live.
enum class Flocked { held, by_others, not_there };

Flocked try_flock(const UniqueFd& fd) {
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return Flocked::held;
  return errno == EWOULDBLOCK || errno == EINTR ? Flocked::by_others : Flocked::not_there;
}

[[noreturn]] void refuse_beside(const path& folder, const std::string& owner) {
  throw InputError(
      fmt::format("'{}' is in use by {} (two launchers would mix their results); wait for it, or choose another --out",
                  folder.string(), owner));
}

std::string last_owner(const path& folder) {
  const auto record = read_lease(folder);
  return record ? to_string(record->owner) : "another process";
}

/// Whether the last owner's file tells of a process of this host that has not ended.
bool owner_lives_here(const path& folder, const LeaseOwner& own) {
  const auto record = read_lease(folder);
  return record && state_of(*record, own) == OwnerState::living;
}

/// Waits for the lock that a killed launcher's processes may hold for some more seconds.
void wait_for_flock(const UniqueFd& fd, const path& folder, const LeaseOwner& own, double wait_seconds) {
  const Deadline deadline = Deadline::after(wait_seconds);
  const Deadline moment = Deadline::after(std::min(wait_seconds, moment_seconds));
  for (;;) {
    const Flocked flocked = try_flock(fd);
    if (flocked == Flocked::held) return;
    if (flocked == Flocked::not_there) {
      log::info(fmt::format("'{}' lies where files cannot be locked ({}); its owner's file keeps other runs out",
                            folder.string(), std::strerror(errno)));
      return;
    }
    if (deadline.passed() || (moment.passed() && owner_lives_here(folder, own)))
      refuse_beside(folder, last_owner(folder));
    ::usleep(poll_microseconds);
  }
}

/// Watches an owner of another host: it has ended where its file lies untouched for long enough. Throws InputError at
/// the first sign of life.
void wait_for_silence(const path& folder, const LeaseRecord& seen, const LeaseOwner& own, const LeaseTimes& times) {
  const double file_seconds = static_cast<double>(seen.touched_nanoseconds) * 1e-9;
  const double younger_by = lease_stale_seconds - (wall_seconds() - file_seconds);
  const double wait_seconds = std::clamp(younger_by, times.watch_seconds, lease_stale_seconds);
  log::info(fmt::format("'{}' was owned by {}; waiting up to {:.0f} s for a sign of it", folder.string(),
                        to_string(seen.owner), wait_seconds));
  const Deadline deadline = Deadline::after(wait_seconds);
  while (!deadline.passed()) {
    ::usleep(10 * poll_microseconds);
    const auto now = read_lease(folder);
    if (!now || now->epoch != seen.epoch || state_of(*now, own) == OwnerState::ended) return;  // to be looked at anew
    if (now->touched_nanoseconds != seen.touched_nanoseconds) refuse_beside(folder, to_string(now->owner));
  }
}

std::uint64_t inode_of(const UniqueFd& file) {
  struct stat info {};
  return ::fstat(file.get(), &info) == 0 ? info.st_ino : 0;
}

/// True if this process made the file of the next epoch: of several who try, one does.
bool create_epoch(const path& folder, std::uint64_t epoch, const LeaseOwner& own, UniqueFd& file) {
  file = UniqueFd(::open(lease_file(folder, epoch).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file && errno == EEXIST) return false;
  if (!file) refuse(folder, errno);
  const std::string text = lease_text(own, inode_of(file), false);
  if (::pwrite(file.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size())) return true;
  const int problem = errno;
  ::unlink(lease_file(folder, epoch).c_str());
  refuse(folder, problem);
}

/// The file of a later owner may have come and gone while this process slept between two looks.
bool is_last(const path& folder, std::uint64_t epoch) {
  const auto record = read_lease(folder);
  return record && record->epoch == epoch;
}

void remove_earlier(const path& folder, std::uint64_t epoch) {
  std::error_code gone;
  std::vector<path> earlier;
  for (const auto& entry : std::filesystem::directory_iterator(folder, gone)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("owner.") && entry.path() != lease_file(folder, epoch)) earlier.push_back(entry.path());
  }
  for (const path& file : earlier) ::unlink(file.c_str());
}

struct TakenEpoch {
  std::uint64_t epoch = 0;
  UniqueFd file;
};

TakenEpoch take_epoch(const path& folder, const LeaseOwner& own, const LeaseTimes& times) {
  constexpr int most_tries = 100;
  for (int tried = 0; tried < most_tries; ++tried) {
    const auto record = read_lease(folder);
    const OwnerState state = record ? state_of(*record, own) : OwnerState::ended;
    if (state == OwnerState::living) refuse_beside(folder, to_string(record->owner));
    if (state == OwnerState::unknown) {
      wait_for_silence(folder, *record, own, times);
      const auto now = read_lease(folder);
      const bool is_same =
          now && now->epoch == record->epoch && now->touched_nanoseconds == record->touched_nanoseconds;
      if (!is_same) continue;
    }
    TakenEpoch taken{record ? record->epoch + 1 : 1, {}};
    if (!create_epoch(folder, taken.epoch, own, taken.file)) continue;
    if (is_last(folder, taken.epoch)) {
      remove_earlier(folder, taken.epoch);
      return taken;
    }
    ::unlink(lease_file(folder, taken.epoch).c_str());
  }
  refuse_beside(folder, last_owner(folder));
}

}  // namespace

class HeldLease {
 public:
  HeldLease(std::uint64_t epoch, UniqueFd file, LeaseOwner own, double beat_seconds)
      : epoch_(epoch), file_(std::move(file)), own_(std::move(own)), beat_seconds_(beat_seconds) {
    // Signals are for the main thread, whose waits they interrupt.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { beat(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  /// The file stays, so that the next owner has a higher epoch.
  ~HeldLease() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
    const std::string text = lease_text(own_, inode_of(file_), true);
    const ssize_t written = ::pwrite(file_.get(), text.data(), text.size(), 0);  // longer than what stands there
    static_cast<void>(written);  // a process that has ended owns nothing, whatever its file says
  }
  HeldLease(const HeldLease&) = delete;
  HeldLease& operator=(const HeldLease&) = delete;

  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }

 private:
  void beat() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, std::chrono::duration<double>(beat_seconds_), [this] { return stop_; }))
      ::futimens(file_.get(), nullptr);
  }

  std::uint64_t epoch_;
  UniqueFd file_;
  LeaseOwner own_;
  double beat_seconds_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

FolderLock::FolderLock(const path& folder, double wait_seconds, const LeaseTimes& times) {
  Undo undo(folder);
  try {
    create_private_folder(folder);
  } catch (const FolderError& error) {
    refuse(folder, error.error_number);
  }
  const UniqueFd held = open_private_folder(folder);
  fd_ = open_lock(held, folder);
  const LeaseOwner own = this_owner();
  try {
    wait_for_flock(fd_, folder, own, wait_seconds);
  } catch (...) {
    undo.keep();  // the folder is theirs
    throw;
  }
  if (const int problem = write_problem(held); problem != 0) refuse(folder, problem);
  undo.keep();
  TakenEpoch taken = take_epoch(folder, own, times);
  lease_ = std::make_unique<HeldLease>(taken.epoch, std::move(taken.file), own, times.beat_seconds);
}

FolderLock::~FolderLock() = default;
FolderLock::FolderLock(FolderLock&&) noexcept = default;
FolderLock& FolderLock::operator=(FolderLock&&) noexcept = default;

std::uint64_t FolderLock::epoch() const { return lease_->epoch(); }

std::string folder_owner(const path& folder) {
  if (const auto owner = lease_owner(folder)) return to_string(*owner);
  const UniqueFd fd(::open(lock_file(folder).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd || ::flock(fd.get(), LOCK_SH | LOCK_NB) == 0) return {};
  return errno == EWOULDBLOCK ? last_owner(folder) : std::string();
}

}  // namespace regatta::launcher
