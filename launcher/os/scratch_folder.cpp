#include "os/scratch_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <system_error>

#include "regatta/base/error.hpp"

namespace regatta::launcher {

ScratchFolder::ScratchFolder(const std::string& purpose) {
  const std::filesystem::path parent = std::filesystem::temp_directory_path();
  std::string name = (parent / fmt::format("regatta-{}-XXXXXX", purpose)).string();
  if (::mkdtemp(name.data()) == nullptr)
    throw InputError(
        fmt::format("cannot create a folder in '{}'; set TMPDIR to a folder that can be written", parent.string()));
  path = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

}  // namespace regatta::launcher
