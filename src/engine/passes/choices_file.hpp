// Choices of kernels that were timed before, on this machine and by this build.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "regatta/engine/ops.hpp"

namespace regatta::engine {

class ChoicesFile {
 public:
  /// The file is read, if there is one, when it is first asked for something: most programs have nothing to choose. An
  /// empty path keeps nothing.
  explicit ChoicesFile(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] const KernelChoice* find(const std::string& key);
  void add(const std::string& key, const KernelChoice& choice);

  /// Writes what was added, with what others wrote in the meantime. A file that cannot be written is done without.
  void save();

 private:
  std::string path_;
  bool is_read_ = false;
  std::map<std::string, KernelChoice> known_;
  std::map<std::string, KernelChoice> added_;
};

}  // namespace regatta::engine
