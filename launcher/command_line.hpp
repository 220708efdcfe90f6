// The options of every command. The one header that names CLI11, read by main.cpp and command_line.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace regatta::launcher {

/// Adds all commands to `app`; parsing sets `chosen` to the one that was asked for.
void add_commands(CLI::App& app, std::function<int()>& chosen, const std::vector<std::string>& argv);

}  // namespace regatta::launcher
