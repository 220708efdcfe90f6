// Preloaded into a run: file locks as some file systems of clusters have them, in folders `*.regatta`. In all programs
// but `regatta` it does nothing.
//
// REGATTA_FLOCK: yes (it says yes to everybody, as where locks do not reach other nodes), nosys, nolck (there are
// none). REGATTA_HOST: the name that this host has.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

std::string_view told_by(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? "" : text;
}

bool is_regatta() {
  std::array<char, 4096> path{};
  const ssize_t got = ::readlink("/proc/self/exe", path.data(), path.size());
  return got > 0 && std::string_view(path.data(), static_cast<std::size_t>(got)).ends_with("/regatta");
}

/// MPI locks files of its own, which lie elsewhere.
bool is_of_run(int fd) {
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  std::array<char, 4096> path{};
  const ssize_t got = ::readlink(link.c_str(), path.data(), path.size());
  return got > 0 && std::string_view(path.data(), static_cast<std::size_t>(got)).find(".regatta/") != std::string::npos;
}

int refuse(int error_number) {
  errno = error_number;
  return -1;
}

}  // namespace

extern "C" int flock(int fd, int operation) noexcept {
  const std::string_view told = told_by("REGATTA_FLOCK");
  if (told.empty() || !is_regatta() || !is_of_run(fd)) return static_cast<int>(::syscall(SYS_flock, fd, operation));
  if (told == "nosys") return refuse(ENOSYS);
  if (told == "nolck") return refuse(ENOLCK);
  return 0;
}

extern "C" int gethostname(char* name, std::size_t size) noexcept {
  std::string_view told = told_by("REGATTA_HOST");
  // MPI knows its host by its true name.
  if (!is_regatta() || std::getenv("OMPI_COMM_WORLD_RANK") != nullptr) told = {};
  std::array<char, 256> own{};
  if (told.empty()) {
    const int file = ::open("/proc/sys/kernel/hostname", O_RDONLY | O_CLOEXEC);
    const ssize_t got = ::read(file, own.data(), own.size());
    ::close(file);
    if (got <= 0) return refuse(EIO);
    told = std::string_view(own.data(), static_cast<std::size_t>(got) - 1);  // without its newline
  }
  if (told.size() >= size) return refuse(ENAMETOOLONG);
  std::memcpy(name, told.data(), told.size());
  name[told.size()] = '\0';
  return 0;
}
