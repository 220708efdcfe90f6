// How products are computed, as the backend is told it.
#pragma once

#include <string>

namespace regatta::engine::cuda {

struct ProductSettings {
  bool deterministic = true;
  double choosing_seconds = 0;  ///< for all products together, and only with a file: a choice changes bits, so it is
                                ///< shared by all sessions. 0: the first algorithm that the library's heuristics name
  std::string choices_file;     ///< keeps what was chosen; empty: nothing is kept
  std::string device;           ///< the device that choices hold for: name and compute capability
};

}  // namespace regatta::engine::cuda
