#include "ranks/mpirun_scratch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "os/scratch_folder.hpp"
#include "regatta/base/digest.hpp"
#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t owner_digits = 8;  // hexadecimal, of the owner's hash
constexpr std::string_view random_part = "-XXXXXX";
constexpr const char* lock_name = "held";
constexpr std::time_t making_seconds = 600;  // a folder gets its lock within moments
constexpr off_t least_room_bytes = 8 << 20;  // for files of the daemon and its ranks

std::string prefix() { return fmt::format("regatta-{}-", ::getuid()); }

std::string prefix_of(const fs::path& owner) {
  return prefix() + to_string(hash128(fs::absolute(owner).string())).substr(0, owner_digits);
}

fs::path memory_base() { return "/dev/shm"; }

void take_away(const fs::path& folder) {
  std::error_code ignored;  // a later run removes the rest
  fs::remove_all(folder, ignored);
}

/// A folder of this user's, no link, with a name as make_held() makes them.
bool is_scratch(const fs::path& path) {
  const std::string name = path.filename();
  const std::string begin = prefix();
  struct stat info {};
  return name.size() == begin.size() + owner_digits + random_part.size() && name.starts_with(begin) &&
         ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

/// Its job has ended: nobody holds it, or it died before it could.
bool is_left(const fs::path& folder) {
  const UniqueFd lock(::open((folder / lock_name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (lock) return ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
  struct stat info {};
  return errno == ENOENT && ::stat(folder.c_str(), &info) == 0 && info.st_mtime + making_seconds < ::time(nullptr);
}

void take_away_where(const fs::path& base, const std::function<bool(const fs::path&)>& is_due) {
  std::error_code error;
  for (fs::directory_iterator entry(base, error), end; !error && entry != end; entry.increment(error)) {
    if (is_scratch(entry->path()) && is_due(entry->path())) take_away(entry->path());
  }
}

[[noreturn]] void throw_no_folder(const fs::path& base, int error_number) {
  const bool is_memory = base == memory_base();
  throw StorageError(
      errno_text(fmt::format("MPI needs a folder in '{}' for its own files{}", base.string(),
                             is_memory ? ", and cannot have it" : "; free space, or set TMPDIR to a folder with room"),
                 error_number));
}

[[noreturn]] void throw_no_room(const fs::path& fresh, int error_number) {
  take_away(fresh);
  throw_no_folder(fresh.parent_path(), error_number);
}

/// On a full disk Open MPI's daemon ends with pages about its own insides.
void expect_room(const UniqueFd& lock, const fs::path& fresh) {
  const int problem = ::posix_fallocate(lock.get(), 0, least_room_bytes);
  if (problem != 0 || ::ftruncate(lock.get(), 0) != 0) throw_no_room(fresh, problem != 0 ? problem : errno);
}

/// The lock of a fresh folder; none if another job's sweep took the folder for a left one, before it was locked.
UniqueFd lock_of(const fs::path& folder) {
  const std::string name = folder / lock_name;
  UniqueFd lock(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));  // mpirun inherits it
  if (!lock && errno != ENOENT) throw_no_room(folder, errno);
  struct stat held {};
  struct stat named {};
  const bool is_ours = lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0 && ::fstat(lock.get(), &held) == 0 &&
                       ::stat(name.c_str(), &named) == 0 && held.st_ino == named.st_ino;
  return is_ours ? std::move(lock) : UniqueFd();
}

/// A new folder in `base`, private and locked.
UniqueFd make_held(const fs::path& base, const std::string& begin, fs::path& folder) {
  constexpr int most_tries = 8;
  for (int tried = 0; tried < most_tries; ++tried) {
    std::string name = (base / (begin + std::string(random_part))).string();
    if (::mkdtemp(name.data()) == nullptr) throw_no_folder(base, errno);
    folder = name;
    if (UniqueFd lock = lock_of(folder)) return lock;
    take_away(folder);
  }
  throw_no_folder(base, EAGAIN);
}

}  // namespace

HeldScratch::HeldScratch(const fs::path& owner) {
  const std::string begin = prefix_of(owner);
  const fs::path bases[] = {temporary_folder(), memory_base()};
  for (std::size_t i = 0; i < locks_.size(); ++i) {
    take_away_where(bases[i], is_left);
    fs::path folder;
    try {
      locks_[i] = make_held(bases[i], begin, folder);
    } catch (const StorageError&) {
      if (!folders_.session.empty()) take_away(folders_.session);
      throw;
    }
    (i == 0 ? folders_.session : folders_.memory) = folder;
    if (i == 0) expect_room(locks_[i], folder);
  }
}

HeldScratch::~HeldScratch() {
  for (const fs::path& folder : folders_.all()) take_away(folder);
}

void sweep_scratch(const fs::path& owner) {
  const std::string begin = prefix_of(owner);
  for (const fs::path& base : {temporary_folder(), memory_base()})
    take_away_where(base, [&](const fs::path& path) { return path.filename().string().starts_with(begin); });
}

}  // namespace regatta::launcher
