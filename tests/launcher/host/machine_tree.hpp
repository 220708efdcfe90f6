// A machine made of files, for what reads /proc and /sys.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "host/host.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {

class MachineTree {
 public:
  /// Overwrites in place, as the kernel's files change under those who hold them open.
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  void remove(const std::string& name) const { std::filesystem::remove_all(root_ / name); }

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return root_ / name; }
  [[nodiscard]] MachineFolders folders() const { return {root_ / "proc", root_ / "sys", root_ / "shm"}; }

 private:
  support::TemporaryFolder root_;
};

}  // namespace regatta::launcher
