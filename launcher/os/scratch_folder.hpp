// A folder of our own that goes with its scope.
#pragma once

#include <filesystem>
#include <string>

namespace regatta::launcher {

/// The system's folder for temporary files. Throws InputError that names the variable where it leads nowhere.
std::filesystem::path temporary_folder();

class ScratchFolder {
 public:
  /// In temporary_folder(); `purpose` is part of its name. Throws InputError.
  explicit ScratchFolder(const std::string& purpose);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::filesystem::path path;
};

}  // namespace regatta::launcher
