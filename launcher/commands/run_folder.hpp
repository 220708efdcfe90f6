// The folder NAME.regatta that a command is given.
#pragma once

#include <filesystem>
#include <string_view>

namespace regatta::launcher {

/// Throws InputError if the folder holds no journal. `does` is what the command does with one: "status reads".
void expect_journal(const std::filesystem::path& folder, std::string_view does);

/// The folder that somebody names: NAME.regatta itself, or the file of results or page beside it. Throws InputError as
/// expect_journal does.
std::filesystem::path run_folder(const std::filesystem::path& named, std::string_view does);

/// Throws InputError, with what to do, if there is no such file because its run was stopped.
void expect_results(const std::filesystem::path& file);

/// Whether its run has recorded more since it was written, which is said.
bool warn_if_outdated(const std::filesystem::path& file);

}  // namespace regatta::launcher
