// The folder NAME.regatta that a command is given.
#pragma once

#include <filesystem>
#include <string_view>

namespace regatta::launcher {

/// Throws InputError if the folder holds no journal. `does` is what the command does with one: "status reads".
void expect_journal(const std::filesystem::path& folder, std::string_view does);

}  // namespace regatta::launcher
