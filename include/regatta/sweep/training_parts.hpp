// How the samples that a run trains on are parted: the worker does it, and who plans looks ahead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace regatta::sweep {

struct TrainingParts {
  std::int64_t training = 0;    ///< samples
  std::int64_t validation = 0;  ///< samples
};

/// `samples`: both parts together; `share`: `validation` of the sweep's "train".
TrainingParts training_parts(std::int64_t samples, double share);

/// Why no step of this batch can be made; nothing if it can.
std::optional<std::string> no_step_reason(const TrainingParts& parts, std::int64_t batch);

/// Why no run has a figure to choose by: the share is above 0 and holds no sample.
std::optional<std::string> no_validation_reason(const TrainingParts& parts, double share);

}  // namespace regatta::sweep
