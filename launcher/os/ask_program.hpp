// Asking a program something: what it prints, if it ends well and soon.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace regatta::launcher {

/// Standard output (the last 64 KiB) of a program that exits with 0 in time; nothing otherwise. When the
/// time is over it is killed with what it started.
std::optional<std::string> output_of(const std::vector<std::string>& argv,
                                     const std::map<std::string, std::string>& variables, double timeout_seconds);

/// The executable file that `program` names: itself if it holds a slash, else the first in PATH.
std::optional<std::string> find_program(const std::string& program);

}  // namespace regatta::launcher
