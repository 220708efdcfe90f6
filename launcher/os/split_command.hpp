// A command line as its words. There is no shell: no variables, no patterns, no pipes.
#pragma once

#include <string>
#include <vector>

namespace regatta::launcher {

/// Divides at spaces; '...' and "..." hold words together, a backslash takes the next character as it is (not in
/// '...'). Throws InputError if a quote is not closed, or if there is no word.
std::vector<std::string> split_words(const std::string& line);

/// A hint for somebody whose line holds a word that only a shell understands, such as a pipe; empty where none does.
std::string shell_hint(const std::string& line);

}  // namespace regatta::launcher
