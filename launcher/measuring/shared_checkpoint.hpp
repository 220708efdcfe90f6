// What a training of several nodes goes on from: the agent of rank 0 keeps the file, and all ranks have to read the
// same one, or their exchanges would not fit together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace regatta::launcher {

/// Of the file's bytes; empty: there is none. Throws InputError where it cannot be read.
std::string hash_of_checkpoint(const std::filesystem::path& path);

/// For rank `rank`: waits until the file that its node sees is the one of this hash. Network file systems show what
/// another node wrote some seconds late. Throws ArmEnded after `patience_seconds`.
void require_checkpoint(const std::filesystem::path& path, const std::string& hash, std::uint32_t rank,
                        double patience_seconds);

}  // namespace regatta::launcher
