// A layered network as operations: forward, loss, gradients, updates.
#pragma once

#include "engine/ir/program.hpp"

namespace regatta::engine {

/// For a batch whose mean loss is taken over so many samples, of which it is a part. Throws InputError naming the layer
/// that the engine lacks.
Program lower_network(const model::Network& network, const Settings& settings, std::int64_t averaged_samples);

}  // namespace regatta::engine
