// Folders in which shipped code is recorded, or goes on with what a crash left.
#pragma once

#include <filesystem>
#include <vector>

#include "disk_record.hpp"
#include "system_calls.hpp"

namespace regatta::crashes {

/// A folder in memory, as far as the machine has such, empty and gone with this object.
class Scratch {
 public:
  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The operations of `act` below a folder that holds `left`; it is given the folder, and the recording.
template <class Act>
std::vector<Operation> recorded(const Disk& left, const Act& act) {
  const Scratch scratch;
  left.put_into(scratch.path());
  Recording recording(scratch.path(), left);
  act(scratch.path(), recording);
  return recording.operations();
}

}  // namespace regatta::crashes
