// `regatta-worker pack`: data files of any kind that is read, as one raw file.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::worker {

/// Several files are parts of one, their rows one behind the other. Options by name: --out NAME writes NAME.raw and
/// NAME.json; --labels FILE, --csv-label COLUMN, --csv-header yes or no, --csv-delimiter CHARACTER, --memory SIZE.
/// Returns the sidecar, one line of JSON. Throws InputError, StorageError.
std::string pack(const std::vector<std::string_view>& files,
                 const std::map<std::string_view, std::string_view>& options);

}  // namespace regatta::worker
