#include "os/scratch_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cstdlib>
#include <system_error>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"

namespace regatta::launcher {

std::filesystem::path temporary_folder() {
  std::error_code problem;
  std::filesystem::path folder = std::filesystem::temp_directory_path(problem);
  if (!problem) return folder;
  for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {  // the standard library asks them in this order
    const char* value = std::getenv(name);
    if (value == nullptr) continue;
    throw InputError(
        fmt::format("{} is '{}', which is no folder (temporary files go there); correct or unset it", name, value));
  }
  throw InputError("there is no /tmp for temporary files; set TMPDIR to a folder that can be written");
}

ScratchFolder::ScratchFolder(const std::string& purpose) {
  const std::filesystem::path parent = temporary_folder();
  std::string name = (parent / fmt::format("regatta-{}-XXXXXX", purpose)).string();
  if (::mkdtemp(name.data()) == nullptr)
    throw InputError(
        fmt::format("cannot create a folder in '{}'; set TMPDIR to a folder that can be written", parent.string()));
  path = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  remove_tree(path, ignored);  // a program that ran in it may have left anything
}

}  // namespace regatta::launcher
