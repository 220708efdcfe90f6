// `regatta-worker weights` and `check`: the files that all engines of a node start from.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace regatta::worker {

/// Options by name. --parameters and --model are JSON; --weights and --batches are files to write (either may be
/// missing); --datasets is the folder of the data sets. Throws InputError, of it data::DoesNotFit, and StorageError.
void write_inputs(const std::map<std::string_view, std::string_view>& options);

/// `regatta-worker check`: what --data-set would hold, as one JSON object with "samples" and "test", the rows of both
/// parts; or with "does_not_fit", why this model reads no such data; or with "refused", why no model does.
std::string check_data_set(const std::map<std::string_view, std::string_view>& options);

}  // namespace regatta::worker
