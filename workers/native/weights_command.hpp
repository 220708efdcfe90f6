// `regatta-worker weights`: the files that all engines of a node start from.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace regatta::worker {

/// Options by name. --parameters and --model are JSON; --weights and --batches are files to write (either may be
/// missing); --datasets is the folder of the data sets. Throws InputError, StorageError.
void write_inputs(const std::map<std::string_view, std::string_view>& options);

}  // namespace regatta::worker
