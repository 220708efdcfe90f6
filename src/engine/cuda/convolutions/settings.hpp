// What plans of convolutions are chosen by.
#pragma once

#include <cstdint>
#include <string>

#include "regatta/engine/settings.hpp"

namespace regatta::engine::cuda {

struct ConvolutionSettings {
  Precision precision = Precision::fp32;
  bool deterministic = true;
  double choosing_seconds = 0;    ///< for all shapes together; 0: the first engine that the library's heuristics name
  std::string choices_file = {};  ///< keeps what was chosen, by device and version; empty: nothing is kept
  std::string device = {};        ///< that choices hold for: name and compute capability
  std::int64_t workspace_bytes = std::int64_t{256} << 20;  ///< an engine that wants more is not taken
};

}  // namespace regatta::engine::cuda
