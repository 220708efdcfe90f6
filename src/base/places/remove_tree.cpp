#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/base/files.hpp"
#include "regatta/base/unique_fd.hpp"

namespace regatta {
namespace {

constexpr int deepest = 256;  // each level holds a descriptor

/// Names of all folders in an open folder.
std::vector<std::string> folders_in(int folder) {
  std::vector<std::string> names;
  UniqueFd own(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!own) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(own.get()), ::closedir);
  if (!listing) return names;
  own.release();  // the listing closes it
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) names.emplace_back(name);
  }
  return names;
}

/// Gives this user all rights in a folder of his own, and in the folders in it. A descriptor stands for each, so that
/// nobody can put a link in its place.
void open_up(int parent, const char* name, int depth) {
  constexpr mode_t all_rights = S_IRWXU;
  const UniqueFd folder(::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!folder || ::fstat(folder.get(), &info) != 0 || info.st_uid != ::geteuid()) return;
  if ((info.st_mode & all_rights) != all_rights)
    ::chmod(fmt::format("/proc/self/fd/{}", folder.get()).c_str(), (info.st_mode & 07777U) | all_rights);
  if (depth == deepest) return;
  for (const std::string& inner : folders_in(folder.get())) open_up(folder.get(), inner.c_str(), depth + 1);
}

}  // namespace

void remove_tree(const std::filesystem::path& path, std::error_code& problem) {
  std::filesystem::remove_all(path, problem);
  if (!problem) return;
  open_up(AT_FDCWD, path.c_str(), 0);
  std::filesystem::remove_all(path, problem);
}

}  // namespace regatta
