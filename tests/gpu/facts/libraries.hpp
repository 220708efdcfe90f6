// Libraries that are asked at run time, where they are there.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace regatta::gpu_facts {

using Json = nlohmann::ordered_json;

/// Driver, and clocks, power, temperature and ECC errors of each device, by NVML; why not, if there is none.
Json nvml_facts();

/// The properties of the device by which cuDNN chooses engines, as its own JSON: with it plans are built on machines
/// without a GPU. Why not, if there is none.
Json cudnn_facts(int device);

/// Where a shared object was loaded from.
std::string file_of(const void* symbol);

}  // namespace regatta::gpu_facts
