// Which processes are expected to scatter alike.
#pragma once

#include <string>

#include "regatta/sweep/parameters.hpp"

namespace regatta::sweep {

/// Engine, mode, device, threads and ranks: "torch graph cpu, 2 threads, 1 ranks".
std::string process_class(const Parameters& parameters);

}  // namespace regatta::sweep
