// Caches in which frameworks keep what they compiled: a run has its own, so that its first process of a trial is known
// to compile, and later ones start warm.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "regatta/base/digest.hpp"

namespace regatta::launcher {

/// The caches of one run, inside its folder NAME.regatta. They outlive an interrupted run.
class CompileCaches {
 public:
  explicit CompileCaches(const std::filesystem::path& run_folder);

  /// The variables that tell PyTorch, Triton, JAX, TensorFlow and CUDA where to keep compiled code. An environment's
  /// "env" goes before them; they replace the shell's.
  [[nodiscard]] std::map<std::string, std::string> variables() const;

  /// Whether a process of this trial has filled them before.
  [[nodiscard]] bool are_warm(const Hash128& trial) const;

  /// A process of the trial has made its first step. Throws StorageError.
  void note_filled(const Hash128& trial) const;

  /// Nothing is measured any more that could use them.
  void remove() const;

 private:
  std::filesystem::path folder_;
};

/// Whether a fresh process of this engine may find compiled what an earlier one left.
bool keeps_compiled(std::string_view engine);

}  // namespace regatta::launcher
