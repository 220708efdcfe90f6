// Commands that people are shown, to be pasted into a shell.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta {

/// `text` as one word of a shell: as it is where nothing in it means anything to the shell, else in single quotes. What
/// a terminal must not be shown, as clean() knows it, stands as escapes in $'...', which bash and zsh read (and POSIX
/// shells from 2024 on).
std::string shell_word(std::string_view text);

/// The same of a file's name, which must not be taken for an option: "./-x".
std::string shell_path(const std::filesystem::path& path);

/// The words of a command that shell_word() made and blanks part. Nothing where a shell would do more with it than read
/// words: strangers write commands into files, too.
std::optional<std::vector<std::string>> shell_words(std::string_view command);

}  // namespace regatta
