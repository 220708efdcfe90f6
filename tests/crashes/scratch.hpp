// Folders in which shipped code is recorded, or goes on with what a crash left.
#pragma once

#include <filesystem>
#include <vector>

#include "disk_record.hpp"
#include "support/temporary_folder.hpp"
#include "system_calls.hpp"

namespace regatta::crashes {

/// The base for folders of tests that write much: it lies in memory, as far as the machine has such.
std::filesystem::path memory_folder();

/// The operations of `act` below a folder that holds `left`; it is given the folder, and the recording.
template <class Act>
std::vector<Operation> recorded(const Disk& left, const Act& act) {
  const support::TemporaryFolder scratch(memory_folder());
  left.put_into(scratch.path());
  Recording recording(scratch.path(), left);
  act(scratch.path(), recording);
  return recording.operations();
}

}  // namespace regatta::crashes
