// Which words of a program's command line name files.
#pragma once

#include <string>
#include <vector>

namespace regatta::launcher {

/// The part of `argv[at]`, a word behind the first, that names a file from here: all of it, or, of an option, what
/// follows its '='. Empty if it names none, or one that the program writes (behind -o, --out or --output).
std::string named_file(const std::vector<std::string>& argv, std::size_t at);

/// The same words, with whole paths where they name files: for a program that starts in another folder.
std::vector<std::string> with_whole_paths(std::vector<std::string> argv);

}  // namespace regatta::launcher
