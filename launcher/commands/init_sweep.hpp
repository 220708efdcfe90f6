// `regatta init` and `regatta schema`: help for people and editors that write sweep files.
#pragma once

#include <string>

namespace regatta::launcher {

/// The text of a sweep of this name to begin with. Throws InputError for a name that no sweep can have.
std::string sweep_to_edit(const std::string& name);

struct InitOptions {
  std::string name;
  std::string model;   ///< a Python file; empty: named models
  std::string engine;  ///< that runs the file; empty: by what it imports
};

/// Writes NAME.json into the working folder; 0, or InputError if it is there already.
int init(const InitOptions& options);

/// Prints the JSON Schema of sweep files.
int schema();

}  // namespace regatta::launcher
