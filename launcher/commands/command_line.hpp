// Parses the command line: each command adds its options to the parser. Messages say what is wrong with a line.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "job/job.hpp"

namespace CLI {
class App;
class Option;
class ParseError;
}  // namespace CLI

namespace regatta::launcher {

/// The parser of a process, and the command that it chose. Callbacks of the parser refer to it, and share the options
/// of their command, which live as long as they do.
struct CommandLine {
  CLI::App& app;
  std::vector<std::string> argv;                     ///< the program first
  std::function<int()> chosen = {};                  ///< set by parsing
  std::map<std::string, std::string> examples = {};  ///< by command: the arguments that may stand behind its name
};

/// Adds all commands.
void add_commands(CommandLine& line);

/// A command without options; `example` is what may stand behind its name, as " results/NAME.h5".
CLI::App* add_command(CommandLine& line, const std::string& name, const std::string& description,
                      const std::string& example = "");

/// Adds what changes a sweep without touching its file.
void add_sweep_options(CLI::App& command, JobOptions& options);
void add_run_folder(CLI::App& command, std::filesystem::path& folder);
void add_result_file(CLI::App& command, std::filesystem::path& file);
CLI::Option* add_json_flag(CLI::App& command, bool& json);

/// "regatta run sweep.json", as results remember it.
std::string joined(const std::vector<std::string>& argv);

/// Prints what a command takes; all of them where `name` is empty. Throws InputError for a name that none has.
int help(const CLI::App& app, const std::string& name);

/// The problem of a command line that was refused, and what to do.
std::string usage_problem(const CommandLine& line, const CLI::ParseError& error);

}  // namespace regatta::launcher
