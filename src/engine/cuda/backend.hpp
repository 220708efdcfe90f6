// The backend of a GPU, as sessions see it.
#pragma once

#include <memory>

#include "regatta/engine/backend.hpp"
#include "regatta/engine/plugin.hpp"

namespace regatta::engine::cuda {

/// Throws InputError for what the device does not have, DeviceError, std::bad_alloc.
std::unique_ptr<Backend> make_backend(const PluginSettings& settings);

}  // namespace regatta::engine::cuda
