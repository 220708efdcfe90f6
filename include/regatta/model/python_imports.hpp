// Which modules a Python script loads from the folder that it lies in, as far as its text says.
#pragma once

#include <filesystem>
#include <vector>

namespace regatta::model {

/// Files beside `script`, in packages there too, that `import` and `from ... import` in it or in one of them name, in
/// alphabetical order. Regatta's own package is none of them. What a program imports by a name that it makes up is not
/// seen. Files that cannot be read import nothing.
std::vector<std::filesystem::path> local_imports(const std::filesystem::path& script);

}  // namespace regatta::model
