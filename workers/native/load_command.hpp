// `regatta-worker load`: the loader alone, on the user's files.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace regatta::worker {

/// The options that it knows.
inline constexpr std::string_view load_options[] = {
    "--data",    "--labels", "--csv-label", "--batch", "--seconds", "--steps",  "--first-step",
    "--threads", "--depth",  "--memory",    "--ranks", "--rank",    "--seed",   "--tail",
    "--order",   "--dtype",  "--scale",     "--shift", "--flips",   "--source", "--step-microseconds"};

/// Takes batches of the files for some seconds or steps and returns one JSON object (docs/datasets.md, "How fast they
/// are read"). Throws InputError, DeviceError.
std::string load(const std::map<std::string_view, std::string_view>& options);

}  // namespace regatta::worker
