// Numbers that change with every step of a training, and are read by operations.
#pragma once

#include <cstdint>

namespace regatta::engine {

/// The state of a training run that changes with every step; one buffer of this type.
struct StepState {
  std::int64_t step = 0;          ///< 1 during the first step
  double beta1_power = 1;         ///< Adam: beta1^updates
  double beta2_power = 1;         ///< Adam: beta2^updates
  float correction1 = 1;          ///< 1 / (1 - beta1^updates)
  float correction2 = 1;          ///< 1 / (1 - beta2^updates)
  float learning_rate = 0;        ///< the next update's
  float gradient_scale = 1;       ///< factor that clipping applies to all gradients
  std::int64_t first_sample = 0;  ///< place of this part of the batch, for dropout; beside Dropout::first_sample
};

/// The share of the batch in a moving moment after this step of a training, the first of which is 1:
/// moving = (1 - share) * moving + share * batch's. So moving moments are the plain mean over the first steps, until
/// the smallest share makes them an exponential one. What they were before the first step has no part in them.
constexpr float moving_share(float smallest, std::int64_t step) {
  const float of_mean = 1.0F / static_cast<float>(step);
  return of_mean > smallest ? of_mean : smallest;
}

}  // namespace regatta::engine
