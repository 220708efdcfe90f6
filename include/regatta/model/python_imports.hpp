// The modules that a Python script loads from its own folder, as far as its text says.
#pragma once

#include <filesystem>
#include <vector>

namespace regatta::model {

/// Files beside `script`, in packages there too, that `import` and `from ... import` in it or in one of them name, in
/// alphabetical order. Regatta's own package is none of them. Imports by a name that the program makes up are not seen.
/// Files that cannot be read import nothing.
std::vector<std::filesystem::path> local_imports(const std::filesystem::path& script);

}  // namespace regatta::model
