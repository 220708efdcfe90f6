#include <fmt/format.h>

#include <optional>
#include <system_error>

#include "commands/commands.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/shell.hpp"
#include "run/outputs_note.hpp"

namespace regatta::launcher {

namespace {

/// NAME.regatta beside NAME.h5 or NAME.html, if it is one.
std::optional<std::filesystem::path> folder_beside(const std::filesystem::path& file) {
  std::filesystem::path folder = file;
  folder.replace_extension(".regatta");
  std::error_code forbidden;  // to a colleague, who may read the result file all the same
  if (folder == file || !std::filesystem::exists(folder / "journal", forbidden)) return std::nullopt;
  return folder;
}

[[noreturn]] void refuse_without_folder(const std::filesystem::path& file, std::string_view does) {
  const std::filesystem::path folder = std::filesystem::path(file).replace_extension(".regatta");
  throw InputError(
      fmt::format("'{}' has no folder '{}' with a journal beside it, and {} the folder of the run. Put both side by "
                  "side again, as `regatta run` left them",
                  file.string(), folder.string(), does));
}

}  // namespace

std::filesystem::path run_folder(const std::filesystem::path& named, std::string_view does) {
  if (!std::filesystem::is_directory(named)) {
    if (auto folder = folder_beside(named)) return *folder;
    if (std::filesystem::exists(named)) refuse_without_folder(named, does);
  }
  expect_journal(named, does);
  return named;
}

void expect_results(const std::filesystem::path& file) {
  if (std::filesystem::exists(file)) return;
  const auto folder = folder_beside(file);
  if (!folder) return;  // the reader of the file says that there is none
  throw InputError(
      fmt::format("there is no file '{}' yet: its run was stopped before the end. Its records are in '{}'. Run the "
                  "sweep again to go on, or make the file of what there is: `regatta collect {}`",
                  file.string(), folder->string(), shell_path(*folder)));
}

bool warn_if_outdated(const std::filesystem::path& file) {
  const auto folder = folder_beside(file);
  if (!folder || !is_outdated(file, *folder)) return false;
  log::warn(
      fmt::format("{} is older than its run: {} has recorded more since. It was stopped, or goes on. `regatta run` of "
                  "the sweep finishes it, `regatta collect {}` makes the file of what there is",
                  file.string(), folder->string(), shell_path(*folder)));
  return true;
}

void expect_journal(const std::filesystem::path& folder, std::string_view does) {
  if (std::filesystem::exists(folder / "journal")) return;
  throw InputError(
      fmt::format("'{}' holds no journal ({} a folder NAME.regatta); name the folder that `regatta run` "
                  "printed",
                  folder.string(), does));
}

}  // namespace regatta::launcher
