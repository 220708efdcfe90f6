// A checkpoint of a training says whether it is whole, and which run it is of. A run is known by the name of its file,
// which the launcher makes of all that decides what is trained; a file under another name holds
// another run.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/model/tensors.hpp"

namespace regatta::model {

/// The state of a run as a tensor, which the native engine keeps beside the weights: safetensors here hold no bytes.
Tensor state_tensor(const std::string& text);

/// Its text. Throws InputError if there is none, or it is cut short.
std::string state_text(const std::vector<Tensor>& tensors);

/// Adds a checksum of all of them.
void seal(std::vector<Tensor>& tensors);

/// Throws InputError unless they are as they were sealed.
void expect_sealed(const std::vector<Tensor>& tensors);

/// Throws InputError unless `run` is that of the file's name.
void expect_run_of(const std::filesystem::path& file, std::string_view run);

/// Throws InputError, naming the file, unless this is a whole checkpoint of the run that it is named after: one of the
/// native engine, or one that regatta_worker/checkpoint.py wrote.
void expect_checkpoint(const std::filesystem::path& file);

}  // namespace regatta::model
