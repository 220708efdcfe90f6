#include "folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"

namespace regatta::launcher {
namespace {

std::string owner_of(int fd) {
  std::array<char, 256> text{};
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  return got > 0 ? std::string(text.data(), static_cast<std::size_t>(got)) : "another process";
}

std::string own_name() {
  std::array<char, 128> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("process {} on {}", ::getpid(), host.data());
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder, double wait_seconds) {
  try {
    create_private_folder(folder);
  } catch (const StorageError&) {
    // Then the lock cannot be made either, and its error says what to do.
  }
  const std::string name = (folder / "lock").string();
  fd_ = UniqueFd(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd_)
    throw InputError(errno_text(
        fmt::format("cannot write in '{}' (results go there); choose another folder with --out", folder.string()),
        errno));
  const Deadline deadline = Deadline::after(wait_seconds);
  while (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (deadline.passed()) {
      throw InputError(fmt::format(
          "'{}' is in use by {} (two launchers would mix their results); wait for it, or choose another --out",
          folder.string(), owner_of(fd_.get())));
    }
    ::usleep(20'000);
  }
  const std::string own = own_name();
  [[maybe_unused]] const int cut = ::ftruncate(fd_.get(), 0);
  [[maybe_unused]] const auto written = ::pwrite(fd_.get(), own.data(), own.size(), 0);
}

}  // namespace regatta::launcher
