#include "regatta/base/own_paths.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <system_error>

#include "regatta/base/version.hpp"

namespace regatta {

using std::filesystem::path;

std::string host_name() {
  std::array<char, 128> name{};  // 64 bytes at most
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

path executable_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

std::string running_build() {
  const path program = "/proc/self/exe";
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(program, unknown);
  if (unknown) return {};
  const auto written = std::filesystem::last_write_time(program, unknown).time_since_epoch().count();
  return unknown ? std::string() : fmt::format("{} {} {}", regatta_version(), bytes, written);
}

path share_folder() { return executable_folder().parent_path() / "share" / "regatta"; }

path plugin_file(const path& folder, std::string_view device) {
  return folder / ("libregatta_" + std::string(device) + ".so");
}

void make_temporary_folders_absolute() {
  for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    const char* value = std::getenv(name);
    std::error_code unseen;  // a name of no folder is refused where one is needed
    if (value == nullptr || *value == '\0' || path(value).is_absolute() ||
        !std::filesystem::is_directory(value, unseen))
      continue;
    const path whole = std::filesystem::absolute(value, unseen);
    if (!unseen) ::setenv(name, whole.c_str(), 1);
  }
}

path user_cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && path(cache).is_absolute()) return path(cache) / "regatta";
  const char* home = std::getenv("HOME");
  return home != nullptr && path(home).is_absolute() ? path(home) / ".cache" / "regatta" : path();
}

}  // namespace regatta
