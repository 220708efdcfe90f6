#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "regatta/base/error.hpp"
#include "regatta/base/shell.hpp"
#include "regatta/base/stream.hpp"

namespace regatta {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_name_bytes = 220;  // file systems take 255, and a temporary file's name is longer

[[noreturn]] void refuse(std::string_view option, const std::string& what) {
  throw InputError(fmt::format("{}: {}", option, what));
}

/// "-o ''" is a variable that a script forgot to set.
void expect_name(std::string_view option, const fs::path& place, std::string_view kind) {
  if (place.empty()) refuse(option, fmt::format("the name is empty; name a {}", kind));
  if (place.filename().native().size() > most_name_bytes)
    refuse(option, fmt::format("the name has {} bytes (at most {} are possible); choose a shorter one",
                               place.filename().native().size(), most_name_bytes));
}

/// NAME.regatta, whose files are the only record of what a run measured.
bool is_run_folder(const fs::path& folder) {
  constexpr std::array records = {"journal", "samples"};
  std::error_code unseen;
  return folder.extension() == ".regatta" &&
         std::ranges::any_of(records, [&](const char* name) { return fs::exists(folder / name, unseen); });
}

void expect_outside_of_runs(std::string_view option, const fs::path& place, const fs::path& folder) {
  std::error_code unseen;
  for (fs::path above = fs::weakly_canonical(folder, unseen); !unseen && !above.empty(); above = above.parent_path()) {
    if (is_run_folder(above))
      refuse(option, fmt::format("'{}' lies in '{}', the folder of a run (its records would be damaged); name a place "
                                 "outside of it",
                                 place.string(), above.string()));
    if (!above.has_relative_path()) return;
  }
}

void expect_writable(std::string_view option, const fs::path& folder) {
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return;
  refuse(option, errno_text(fmt::format("nothing can be written in the folder '{}'", folder.string()), errno) +
                     "; name a place in another one");
}

/// The folder that a file of this name lies in.
fs::path folder_of(const fs::path& place) { return place.has_parent_path() ? place.parent_path() : fs::path("."); }

void expect_folder(std::string_view option, const fs::path& folder) {
  std::error_code unseen;
  const fs::file_status status = fs::status(folder, unseen);
  if (fs::is_directory(status)) return;
  if (status.type() == fs::file_type::not_found)
    refuse(option,
           fmt::format("there is no folder '{}'; make it first: `mkdir -p {}`", folder.string(), shell_path(folder)));
  if (fs::exists(status))
    refuse(option, fmt::format("'{}' is no folder (nothing can be written in it); name another", folder.string()));
  refuse(option, errno_text(fmt::format("the folder '{}' cannot be used", folder.string()), unseen.value()));
}

}  // namespace

void expect_place_of_file(std::string_view option, const fs::path& place, const std::vector<fs::path>& inputs) {
  expect_name(option, place, "file");
  std::error_code unseen;
  for (const fs::path& input : inputs) {
    if (fs::equivalent(place, input, unseen))  // also by another name, or by a link
      refuse(option, fmt::format("'{}' is a file that this command reads (it would be lost); name another file",
                                 place.string()));
  }
  if (is_stream(place)) return;
  if (!place.has_filename() || fs::is_directory(place, unseen))
    refuse(option, fmt::format("'{}' is a folder (a file is needed); name a file in it", place.string()));
  const fs::path folder = folder_of(place);
  expect_folder(option, folder);
  expect_outside_of_runs(option, place, folder);
  expect_writable(option, folder);
}

void expect_place_of_folder(std::string_view option, const fs::path& place) {
  expect_name(option, place, "folder");
  std::error_code unseen;
  fs::path there = fs::absolute(place).lexically_normal();
  while (!fs::exists(there, unseen) && there.has_relative_path()) {
    if (unseen && unseen != std::errc::no_such_file_or_directory && unseen != std::errc::not_a_directory) break;
    there = there.parent_path();
  }
  expect_folder(option, there);
  expect_outside_of_runs(option, place, there);
  expect_writable(option, there);
}

}  // namespace regatta
