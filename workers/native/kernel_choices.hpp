// Where the engine keeps the kernels that it chose by timing.
#pragma once

#include <string>

namespace regatta::worker {

/// Time that a session may spend on choosing kernels that the file does not know.
inline constexpr double choosing_seconds = 0.2;
/// The same on a device, whose libraries make their kernels first.
inline constexpr double device_choosing_seconds = 2;

/// A file of the user's cache, of this processor and this build; empty if there is no such folder.
std::string kernel_choices_file();

/// The same of a device: `key` says which, and all that its choices depend on beside this build.
std::string kernel_choices_file(const std::string& key);

}  // namespace regatta::worker
