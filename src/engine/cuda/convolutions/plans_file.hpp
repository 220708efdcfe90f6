// Plans that were chosen by timing before, for this device and this version of cuDNN.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "engine/cuda/convolutions/plan.hpp"

namespace regatta::engine::cuda {

class PlansFile {
 public:
  /// Reads the file if there is one; an empty path keeps nothing.
  explicit PlansFile(std::string path);

  [[nodiscard]] std::optional<PlanChoice> find(const std::string& key) const;

  /// Keeps the choice, unless another process was faster. Returns the choice that then holds for all. A file that
  /// cannot be written is done without.
  PlanChoice add(const std::string& key, const PlanChoice& choice);

  /// Puts another choice in the place of one that is of no use here.
  void forget(const std::string& key);

 private:
  std::string path_;
  std::map<std::string, PlanChoice> known_;
  std::set<std::string> useless_;
};

}  // namespace regatta::engine::cuda
