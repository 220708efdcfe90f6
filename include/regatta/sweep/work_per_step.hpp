// How arms are read and judged where they are compared, and what a step counts for: the loop that measures and the
// analysis of its file ask here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "regatta/stats/slice_values.hpp"
#include "regatta/stats/verdict.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// Samples of one step of each arm of a block; nothing for an arm that reads no batch.
using Batches = std::span<const std::optional<std::int64_t>>;

/// Whether the arms are compared by time per sample: `measure.metric` wants it, each reads a batch, and batches differ.
bool is_per_sample(Metric metric, Batches batches);

/// How the samples of an arm are read by this metric; `is_program`: each of its steps is a process.
stats::ArmReading reading_of(const Measure& measure, const Parameters& parameters, double work_of_step,
                             bool is_program);

/// The options of the sweep file for verdicts. The spread prior and the misfit over call lengths keep their defaults:
/// they come from measurements, not from the file.
stats::JudgeOptions judge_options(const Measure& measure);

/// The work of a step of each arm: its batch where arms are compared by time per sample, else 1.
std::vector<double> work_per_step(Metric metric, Batches batches);

}  // namespace regatta::sweep
