#include "os/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/own_paths.hpp"

namespace regatta::launcher {
namespace {

using std::filesystem::path;

constexpr double moment_seconds = 0.5;
constexpr std::size_t trial_bytes = std::size_t{256} << 10;  // a journal's first records and a page of samples

constexpr const char* lock_name = "lock";

path lock_file(const path& folder) { return folder / lock_name; }

std::string owner_of(int fd) {
  std::array<char, 256> text{};
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  return got > 0 ? std::string(text.data(), static_cast<std::size_t>(got)) : "another process";
}

std::string own_name() { return fmt::format("process {} on {}", ::getpid(), host_name()); }

/// Whether an owner, as own_name() tells it, is a process of this host that has not ended.
bool lives_here(const std::string& owner) {
  pid_t pid = 0;
  std::array<char, 128> host{};
  if (std::sscanf(owner.c_str(), "process %d on %127s", &pid, host.data()) != 2) return false;
  return pid > 0 && host_name() == host.data() && (::kill(pid, 0) == 0 || errno == EPERM);
}

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

}  // namespace

FolderLock::FolderLock(const path& folder, double wait_seconds) {
  Undo undo(folder);
  try {
    create_private_folder(folder);
  } catch (const FolderError& error) {
    refuse(folder, error.error_number);
  }
  const UniqueFd held = open_private_folder(folder);
  fd_ = open_lock(held, folder);
  const Deadline deadline = Deadline::after(wait_seconds);
  const Deadline moment = Deadline::after(std::min(wait_seconds, moment_seconds));
  while (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) {
    const std::string owner = owner_of(fd_.get());
    if (deadline.passed() || (moment.passed() && lives_here(owner))) {
      undo.keep();  // the folder is theirs
      throw InputError(fmt::format(
          "'{}' is in use by {} (two launchers would mix their results); wait for it, or choose another --out",
          folder.string(), owner));
    }
    ::usleep(20'000);
  }
  const std::string own = own_name();
  [[maybe_unused]] const int cut = ::ftruncate(fd_.get(), 0);
  [[maybe_unused]] const auto written = ::pwrite(fd_.get(), own.data(), own.size(), 0);
  if (const int problem = write_problem(held); problem != 0) refuse(folder, problem);
  undo.keep();
}

std::string lock_owner(const path& folder) {
  const UniqueFd fd(::open(lock_file(folder).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd || ::flock(fd.get(), LOCK_SH | LOCK_NB) == 0) return {};
  return errno == EWOULDBLOCK ? owner_of(fd.get()) : std::string();
}

}  // namespace regatta::launcher
