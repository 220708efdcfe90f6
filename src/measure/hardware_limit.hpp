// Whether a step took less time than the cores need for its arithmetic: then not all of it was done.
#pragma once

#include <cstdint>
#include <string>

#include "regatta/model/shapes.hpp"
#include "regatta/sweep/block_task.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::measure {

/// Whether a block compares work whose speed the hardware limits: not programs, and not steps that do nothing.
bool needs_core_peak(const sweep::BlockTask& task);

/// Time of one step if `cores` cores did nothing but its multiply-adds, each at its peak; 0 if the peak is unknown.
/// Bandwidth sets no limit here: what fits into a cache is not read from memory, and that differs by engine.
double fastest_possible_seconds(const model::Work& work, std::int64_t cores, double core_peak_flops_per_second);

/// "faster than the hardware: ..." if a step of `step_seconds` is impossible even by twice the measured peak (four
/// times with convolutions, for which there are exact methods with fewer multiplications); empty if it is possible, or
/// if that is not known: other devices, other precisions, models without products.
std::string faster_than_hardware(const model::Model& model, const sweep::Parameters& parameters, double step_seconds,
                                 double core_peak_flops_per_second);

}  // namespace regatta::measure
