// A folder of our own that goes with its scope.
#pragma once

#include <filesystem>
#include <string>

namespace regatta::launcher {

class ScratchFolder {
 public:
  /// In the system's folder for temporary files; `purpose` is part of its name. Throws InputError.
  explicit ScratchFolder(const std::string& purpose);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::filesystem::path path;
};

}  // namespace regatta::launcher
