// Commands that people are shown, to be pasted into a shell.
#pragma once

#include <string>
#include <string_view>

namespace regatta {

/// `text` as one word of a POSIX shell: as it is where nothing in it means anything to the shell, else in single
/// quotes.
std::string shell_word(std::string_view text);

}  // namespace regatta
