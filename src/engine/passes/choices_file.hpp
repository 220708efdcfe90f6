// Choices of kernels that were timed before, on this machine and by this build.
#pragma once

#include <map>
#include <string>

#include "regatta/engine/ops.hpp"

namespace regatta::engine {

class ChoicesFile {
 public:
  /// Reads the file if there is one; an empty path keeps nothing.
  explicit ChoicesFile(std::string path);

  [[nodiscard]] const KernelChoice* find(const std::string& key) const;
  void add(const std::string& key, const KernelChoice& choice);

  /// Writes what was added, with what others wrote in the meantime. A file that cannot be written is done without.
  void save();

 private:
  std::string path_;
  std::map<std::string, KernelChoice> known_;
  std::map<std::string, KernelChoice> added_;
};

}  // namespace regatta::engine
