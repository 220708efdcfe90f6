// Preloaded into a run: at the Nth call that changes a certain file the launcher or a rank waits, or the call fails. In
// all programs but `regatta` it does nothing. REGATTA_FAULT says what happens:
//
//   CALL|PATH|HOLDS|NTH|DEED|FILE     write|*/journal| result |2|before|/scratch/reached
//
// CALL: write, pwrite, fdatasync, fsync, rename (PATH is the new name), close, ftruncate. PATH: a pattern of fnmatch.
// HOLDS: what the written bytes hold; may be empty. NTH: 2 is the second call alone, 2+ that and all after it.
// DEED: before, after, half (of the bytes are written): waits there. short: half of the bytes. exit: _exit(0). A
// number: the call fails with this errno. FILE is made when it happens; a waiting process goes on when there is
// FILE.go.
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

struct Fault {
  std::array<std::string, 6> fields;
  unsigned long nth = 0;
  bool goes_on = false;
};

const std::string& call_of(const Fault& fault) { return fault.fields[0]; }
const std::string& path_of(const Fault& fault) { return fault.fields[1]; }
const std::string& needle_of(const Fault& fault) { return fault.fields[2]; }
const std::string& deed_of(const Fault& fault) { return fault.fields[4]; }
const std::string& file_of(const Fault& fault) { return fault.fields[5]; }

std::string link_at(const std::string& path) {
  std::array<char, PATH_MAX> text{};
  const ssize_t got = ::readlink(path.c_str(), text.data(), text.size());
  return got > 0 ? std::string(text.data(), static_cast<std::size_t>(got)) : std::string();
}

/// Null where nothing is to happen. Never deleted: files are closed until the very end.
const Fault* read_fault() {
  const char* text = std::getenv("REGATTA_FAULT");
  if (text == nullptr || !link_at("/proc/self/exe").ends_with("/regatta")) return nullptr;
  auto* fault = new Fault;
  std::string_view rest(text);
  for (std::string& field : fault->fields) {
    const std::size_t end = rest.find('|');
    field = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  fault->nth = std::strtoul(fault->fields[3].c_str(), nullptr, 10);
  fault->goes_on = fault->fields[3].ends_with('+');
  return fault;
}

const Fault* fault() {
  static const Fault* const read = read_fault();
  return read;
}

std::atomic<unsigned long> calls_seen = 0;

/// False if another process was there before.
bool is_first(const std::string& file) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0) ::syscall(SYS_close, fd);
  return fd >= 0;
}

/// Whether it happens at this call.
bool happens(const char* call, const std::string& path, std::string_view bytes) {
  const Fault& here = *fault();
  if (call_of(here) != call || ::fnmatch(path_of(here).c_str(), path.c_str(), 0) != 0) return false;
  if (bytes.find(needle_of(here)) == std::string_view::npos) return false;
  const unsigned long number = ++calls_seen;
  if (number != here.nth && !(here.goes_on && number > here.nth)) return false;
  return is_first(file_of(here)) || here.goes_on;
}

bool happens_to(const char* call, int fd, std::string_view bytes = {}) {
  if (fault() == nullptr || call_of(*fault()) != call) return false;
  return happens(call, link_at("/proc/self/fd/" + std::to_string(fd)), bytes);
}

void wait_for_go() {
  const std::string go = file_of(*fault()) + ".go";
  const timespec moment{0, 1'000'000};
  while (::access(go.c_str(), F_OK) != 0) ::nanosleep(&moment, nullptr);
}

/// A call that happens whole, and what waits before or behind it.
template <class Call>
long around(const Call& call) {
  const std::string& deed = deed_of(*fault());
  if (deed == "exit") ::_exit(0);
  if (const int error_number = std::atoi(deed.c_str()); error_number != 0) {
    errno = error_number;
    return -1;
  }
  if (deed == "before") wait_for_go();
  const long result = call();
  const int error_number = errno;
  if (deed == "after") wait_for_go();
  errno = error_number;
  return result;
}

long write_some(int fd, const void* bytes, std::size_t count) {
  const std::string& deed = deed_of(*fault());
  const std::size_t half = count / 2;
  if (deed != "half" && deed != "short") return around([&] { return ::syscall(SYS_write, fd, bytes, count); });
  const long wrote = ::syscall(SYS_write, fd, bytes, half);
  if (deed == "short" || wrote < 0) return wrote;
  wait_for_go();
  const auto left = count - static_cast<std::size_t>(wrote);
  const long rest = ::syscall(SYS_write, fd, static_cast<const char*>(bytes) + wrote, left);
  return rest < 0 ? rest : wrote + rest;
}

}  // namespace

extern "C" {

ssize_t write(int fd, const void* bytes, size_t count) {
  if (!happens_to("write", fd, {static_cast<const char*>(bytes), count})) return ::syscall(SYS_write, fd, bytes, count);
  return write_some(fd, bytes, count);
}

ssize_t pwrite(int fd, const void* bytes, size_t count, off_t offset) {
  const auto call = [&] { return ::syscall(SYS_pwrite64, fd, bytes, count, offset); };
  return happens_to("pwrite", fd, {static_cast<const char*>(bytes), count}) ? around(call) : call();
}

int fdatasync(int fd) {
  const auto call = [&] { return ::syscall(SYS_fdatasync, fd); };
  return static_cast<int>(happens_to("fdatasync", fd) ? around(call) : call());
}

int fsync(int fd) {
  const auto call = [&] { return ::syscall(SYS_fsync, fd); };
  return static_cast<int>(happens_to("fsync", fd) ? around(call) : call());
}

int ftruncate(int fd, off_t size) noexcept {
  const auto call = [&] { return ::syscall(SYS_ftruncate, fd, size); };
  return static_cast<int>(happens_to("ftruncate", fd) ? around(call) : call());
}

int rename(const char* from, const char* to) noexcept {
  const auto call = [&] { return ::syscall(SYS_rename, from, to); };
  return static_cast<int>(fault() != nullptr && happens("rename", to, {}) ? around(call) : call());
}

/// Also one that fails lets go of the descriptor.
int close(int fd) {
  const auto call = [&] { return ::syscall(SYS_close, fd); };
  if (!happens_to("close", fd)) return static_cast<int>(call());
  const long result = around(call);
  const int error_number = errno;
  if (result < 0) call();
  errno = error_number;
  return static_cast<int>(result);
}
}
