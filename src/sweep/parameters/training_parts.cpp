#include "regatta/sweep/training_parts.hpp"

#include <fmt/format.h>

#include <cmath>

namespace regatta::sweep {

TrainingParts training_parts(std::int64_t samples, double share) {
  constexpr double half = 0.5;
  TrainingParts parts;
  parts.validation = static_cast<std::int64_t>(std::floor(static_cast<double>(samples) * share + half));
  parts.training = samples - parts.validation;
  return parts;
}

std::optional<std::string> no_step_reason(const TrainingParts& parts, std::int64_t batch) {
  if (batch <= parts.training) return std::nullopt;
  return fmt::format("batch is {}, the training part has {} samples (a step takes a whole batch); use a smaller one",
                     batch, parts.training);
}

std::optional<std::string> no_validation_reason(const TrainingParts& parts, double share) {
  if (share <= 0 || parts.validation > 0) return std::nullopt;
  return fmt::format(
      "validation is {:g}, of {} samples none is held out (nothing could choose); use a larger part, or 0 and the "
      "metric train_loss",
      share, parts.training);
}

}  // namespace regatta::sweep
