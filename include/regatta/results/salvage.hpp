// What is still whole of a damaged folder NAME.regatta, as a folder of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace regatta::results {

struct Salvaged {
  std::string name;                   ///< the sweep's
  std::uint64_t records = 0;          ///< copied
  std::uint64_t blocks = 0;           ///< results among them
  std::uint64_t damaged_lines = 0;    ///< damaged places of the journal
  std::uint64_t missing_records = 0;  ///< records that the journal should hold
  std::uint64_t lost_samples = 0;     ///< results left out because their samples are damaged
};

/// Copies every whole record, and every result whose samples are whole, into `target`, a folder that is not there yet.
/// The damaged folder is only read. Throws InputError if nothing can be saved, or if `target` is there; StorageError.
Salvaged salvage(const std::filesystem::path& damaged, const std::filesystem::path& target);

}  // namespace regatta::results
