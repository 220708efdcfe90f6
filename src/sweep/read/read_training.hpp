// The sections of a sweep of task `train`, and the limits of their numbers.
#pragma once

#include <cstdint>

#include "regatta/json/cursor.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

inline constexpr double least_epochs = 0.001;
inline constexpr double most_epochs = 1e6;
inline constexpr std::int64_t most_train_steps = 1'000'000'000'000;
inline constexpr std::int64_t most_evaluations = 10'000;
inline constexpr double most_validation = 0.9;
inline constexpr std::int64_t most_seeds = 1000;
inline constexpr std::int64_t most_rungs = 10;
inline constexpr double least_factor = 1.5;
inline constexpr double most_factor = 10;
inline constexpr std::int64_t most_finalists = 64;

/// The keys "task", "train", "objective" and "search"; before the axes.
void read_training(const json::Fields& fields, Sweep& sweep);

/// After all other sections: what does not go together with the task.
void check_task(const json::Fields& fields, const Sweep& sweep);

}  // namespace regatta::sweep
