#include "host/core_claims.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/own_paths.hpp"

namespace regatta::launcher {
namespace {

constexpr std::size_t most_claim_bytes = 1 << 16;
constexpr double look_seconds = 1;

/// Folders may be shared by hosts, locks and process numbers are not.
std::string prefix_of_host() { return fmt::format("cores-{}-", host_name()); }

struct Claimed {
  OtherClaim claim;
  std::vector<int> cores;
};

/// "PID CORE CORE ...", and the run on a line of its own.
std::optional<Claimed> parse_claim(const std::string& text) {
  const std::size_t line = text.find('\n');
  if (line == std::string::npos) return std::nullopt;
  Claimed claimed;
  std::istringstream numbers(text.substr(0, line));
  numbers >> claimed.claim.pid;
  for (int core = 0; numbers >> core;) claimed.cores.push_back(core);
  claimed.claim.run = text.substr(line + 1);
  return claimed;
}

std::string read_claim(int fd) {
  std::string text(most_claim_bytes, '\0');
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

/// The claim in the file, if its process still lives.
std::optional<Claimed> living_claim(const std::filesystem::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  if (::flock(fd.get(), LOCK_SH | LOCK_NB) != 0) return parse_claim(read_claim(fd.get()));
  ::unlink(file.c_str());  // nobody holds it, and nobody takes it up again: each process has its own
  return std::nullopt;
}

/// Claims of this host in the folder; `own` is left out.
std::vector<Claimed> living_claims(const std::filesystem::path& folder, const std::filesystem::path& own) {
  std::vector<Claimed> found;
  const std::string prefix = prefix_of_host();
  std::error_code none;  // a folder that is not there holds nothing
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (entry.path() == own || !entry.path().filename().string().starts_with(prefix)) continue;
    if (auto claimed = living_claim(entry.path())) found.push_back(std::move(*claimed));
  }
  std::ranges::sort(found, {}, [](const Claimed& claimed) { return claimed.claim.pid; });
  return found;
}

bool share(const std::vector<int>& a, const std::vector<int>& b) { return std::ranges::find_first_of(a, b) != a.end(); }

}  // namespace

std::filesystem::path claims_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/') return std::filesystem::path(runtime) / "regatta";
  const std::filesystem::path cache = user_cache_folder();
  return cache.empty() ? cache : cache / "running";
}

CoreClaim::CoreClaim(std::filesystem::path folder, std::string run, std::vector<int> cores)
    : folder_(std::move(folder)), run_(std::move(run)), cores_(std::move(cores)) {
  if (folder_.empty()) return;
  try {
    create_private_folder(folder_);
  } catch (const std::exception&) {
    return;  // a folder that others may write to tells nothing, and one that cannot be made neither
  }
  // It gets its name once it is locked: what has the name and no lock is left over.
  const std::filesystem::path unnamed = folder_ / fmt::format(".{}{}", prefix_of_host(), ::getpid());
  const std::filesystem::path file = folder_ / fmt::format("{}{}", prefix_of_host(), ::getpid());
  fd_ = UniqueFd(::open(unnamed.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  const std::string text = fmt::format("{} {}\n{}", ::getpid(), fmt::join(cores_, " "), run_);
  const bool is_written = fd_ && ::flock(fd_.get(), LOCK_EX | LOCK_NB) == 0 &&
                          ::pwrite(fd_.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  if (is_written && ::rename(unnamed.c_str(), file.c_str()) == 0) file_ = file;
}

CoreClaim::~CoreClaim() {
  if (!file_.empty()) ::unlink(file_.c_str());
}

bool CoreClaim::is_shared() {
  if (const double now = steady_seconds(); looked_seconds_ < 0 || now > looked_seconds_ + look_seconds) {
    looked_seconds_ = now;
    is_shared_ = !others().empty();
  }
  return is_shared_;
}

std::vector<OtherClaim> CoreClaim::others() const {
  std::vector<OtherClaim> found;
  for (const Claimed& claimed : living_claims(folder_, file_)) {
    if (claimed.claim.run != run_ && share(claimed.cores, cores_)) found.push_back(claimed.claim);
  }
  return found;
}

std::vector<OwnSlot> CoreClaim::slots_of_run() const {
  std::vector<OwnSlot> slots = {{::getpid(), cores_}};
  for (Claimed& claimed : living_claims(folder_, file_)) {
    if (claimed.claim.run == run_) slots.push_back({claimed.claim.pid, std::move(claimed.cores)});
  }
  return slots;
}

}  // namespace regatta::launcher
