// The options of every command. This header and described.hpp name CLI11, for main.cpp, command_line.cpp,
// result_command_line.cpp, usage.cpp and described.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "job/job.hpp"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace regatta::launcher {

/// Adds all commands to `app`; parsing sets `chosen` to the one that was asked for.
void add_commands(CLI::App& app, std::function<int()>& chosen, const std::vector<std::string>& argv);

/// Those that read result files: query, export, merge, repro, explain, salvage. Called by add_commands.
void add_result_commands(CLI::App& app, std::function<int()>& chosen, const std::vector<std::string>& argv);

/// Adds what changes a sweep without touching its file.
void add_sweep_options(CLI::App& command, JobOptions& options);

/// "regatta run sweep.json", as results remember it.
std::string joined(const std::vector<std::string>& argv);

/// Prints what a command takes; all of them where `name` is empty. Throws InputError for a name that none has.
int help(const CLI::App& app, const std::string& name);

/// What is wrong with a command line that was refused, and what to do.
std::string usage_problem(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& argv);

}  // namespace regatta::launcher
