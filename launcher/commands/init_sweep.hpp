// Texts of sweeps for people to edit.
#pragma once

#include <string>

namespace regatta::launcher {

/// The text of a sweep of this name to begin with. Throws InputError for a name that no sweep can have.
std::string sweep_to_edit(const std::string& name);

/// The same of a program, whose {NAME}s are axes with values to edit.
std::string sweep_of_command(const std::string& name, const std::string& command);

/// The same of a training script with `regatta.steps()` in it; `engine` may be empty.
std::string sweep_of_loop(const std::string& name, const std::string& file, const std::string& engine);

}  // namespace regatta::launcher
