// What `regatta COMMAND` does. Each returns the exit code of the process: 0 all done, 1 some trials
// failed, 2 bad input (thrown as InputError), 74 journal I/O (StorageError), 75 work left.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "job.hpp"

namespace regatta::launcher {

struct RunArguments {
  JobOptions job;
  std::optional<int> ranks;  ///< default: one for each memory domain of this host
  bool child = false;        ///< started by our own mpirun: leave reporting to the parent
  bool bar = false;          ///< the parent's stderr is a terminal
};

int run(const RunArguments& arguments);

int plan(const JobOptions& options, bool json);

int status(const std::filesystem::path& folder, bool json, bool follow);

int report(const std::filesystem::path& file, const std::optional<std::filesystem::path>& html, bool json);

/// Rebuilds NAME.h5 and NAME.html from NAME.regatta.
int collect(const std::filesystem::path& folder);

int doctor(bool json);

}  // namespace regatta::launcher
