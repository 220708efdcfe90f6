// A note of the sources of the files beside a folder. A finished run that is started again does not rewrite them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "regatta/results/journal.hpp"

namespace regatta::launcher {

/// NAME.regatta/outputs: this program, the journal, and checksums of the files as they were written.
class OutputsNote {
 public:
  using Files = std::vector<std::filesystem::path>;

  OutputsNote(const std::filesystem::path& folder, const results::Scan& journal, Files files);

  /// Whether the files are there, byte for byte as this very program wrote them from this very journal.
  [[nodiscard]] bool holds() const;

  /// The files were just written. A note that cannot be kept is none: the next run writes the files again.
  void keep() const;

 private:
  [[nodiscard]] std::string text() const;  ///< the note for the files as they are now; empty if one is not there

  std::filesystem::path note_;
  Files files_;
  std::string source_;  ///< empty: it cannot be told
};

/// Whether a run whose folder this is has recorded more since it wrote this file, which is byte for byte as it was
/// written. False where that cannot be told.
bool is_outdated(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace regatta::launcher
