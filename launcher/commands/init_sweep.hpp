// `regatta init` and `regatta schema`: help for people and editors that write sweep files.
#pragma once

#include <string>

namespace regatta::launcher {

/// The text of a sweep of this name to begin with. Throws InputError for a name that no sweep can have.
std::string sweep_to_edit(const std::string& name);

/// The same of a program, whose {NAME}s are axes with values to edit.
std::string sweep_of_command(const std::string& name, const std::string& command);

/// The same of a training script with `regatta.steps()` in it; `engine` may be empty.
std::string sweep_of_loop(const std::string& name, const std::string& file, const std::string& engine);

struct InitOptions {
  std::string name;
  std::string model = {};    ///< a Python file; empty: named models
  std::string engine = {};   ///< that runs the file; empty: by what it imports
  std::string command = {};  ///< the command line of a program, with {NAME} where a value comes; empty: none
  std::string loop = {};     ///< a Python file that counts its own steps; empty: none
};

/// Writes NAME.json into the working folder; 0, or InputError if it is there already.
int init(const InitOptions& options);

/// Prints the JSON Schema of sweep files.
int schema();

}  // namespace regatta::launcher
