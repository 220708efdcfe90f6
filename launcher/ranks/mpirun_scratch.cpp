#include "ranks/mpirun_scratch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "regatta/base/digest.hpp"
#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t digits = 8;  // hexadecimal, of the owner's hash
constexpr const char* lock_name = "held";

std::string prefix() { return fmt::format("regatta-{}-", ::getuid()); }

void take_away(const fs::path& folder) {
  std::error_code ignored;  // a later run removes the rest
  fs::remove_all(folder, ignored);
}

bool is_scratch(const fs::path& path) {
  const std::string name = path.filename();
  const std::string begin = prefix();
  return name.size() == begin.size() + digits && name.starts_with(begin);
}

/// Its job has ended: nobody holds it. One without a lock is another version's.
bool is_left(const fs::path& folder) {
  const UniqueFd lock(::open((folder / lock_name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
}

void sweep_left(const fs::path& base) {
  std::error_code error;
  for (fs::directory_iterator entry(base, error), end; !error && entry != end; entry.increment(error)) {
    if (is_scratch(entry->path()) && is_left(entry->path())) take_away(entry->path());
  }
}

/// Under its name once it is held: nobody sees it without.
UniqueFd make_held(const fs::path& folder) {
  const fs::path fresh = folder.string() + ".new";
  take_away(fresh);
  fs::create_directory(fresh);
  fs::permissions(fresh, fs::perms::owner_all);
  UniqueFd lock(::open((fresh / lock_name).c_str(), O_RDWR | O_CREAT, 0600));  // mpirun inherits it
  if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    throw InputError(errno_text(fmt::format("cannot hold '{}' (files of the job's processes)", fresh.string()), errno));
  take_away(folder);
  fs::rename(fresh, folder);
  return lock;
}

}  // namespace

ScratchFolders scratch_of(const fs::path& owner) {
  const std::string name = prefix() + to_string(hash128(fs::absolute(owner).string())).substr(0, digits);
  return {fs::temp_directory_path() / name, fs::path("/dev/shm") / name};
}

HeldScratch::HeldScratch(ScratchFolders folders) : folders_(std::move(folders)) {
  const auto all = folders_.all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    sweep_left(all[i].parent_path());
    locks_[i] = make_held(all[i]);
  }
}

HeldScratch::~HeldScratch() {
  for (const fs::path& folder : folders_.all()) take_away(folder);
}

void sweep_scratch(const fs::path& owner) {
  for (const fs::path& folder : scratch_of(owner).all()) take_away(folder);
}

}  // namespace regatta::launcher
