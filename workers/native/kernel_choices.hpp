// Where the engine keeps the kernels that it chose by timing.
#pragma once

#include <string>

namespace regatta::worker {

/// Time that a session may spend on choosing kernels that the file does not know.
inline constexpr double choosing_seconds = 0.2;

/// A file of the user's cache, of this processor and this build; empty if there is no such folder.
std::string kernel_choices_file();

}  // namespace regatta::worker
