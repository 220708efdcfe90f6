// A layered network as operations: forward, loss, gradients, updates.
#pragma once

#include "engine/ir/program.hpp"

namespace regatta::engine {

/// Throws InputError naming the layer that the engine lacks.
Program lower_network(const model::Network& network, const Settings& settings);

}  // namespace regatta::engine
