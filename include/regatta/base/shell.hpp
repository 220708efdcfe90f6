// Commands that people are shown, to be pasted into a shell.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta {

/// `text` as one word of a POSIX shell: as it is where nothing in it means anything to the shell, else in single
/// quotes.
std::string shell_word(std::string_view text);

/// The words of a command that shell_word() made and blanks part. Nothing where a shell would do more with it than read
/// words: strangers write commands into files, too.
std::optional<std::vector<std::string>> shell_words(std::string_view command);

}  // namespace regatta
