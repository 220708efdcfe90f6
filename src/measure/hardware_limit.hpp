// Whether a step took less time than the cores, or the device, need for its arithmetic: then not all of it was done.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "regatta/measure/arms.hpp"
#include "regatta/model/shapes.hpp"
#include "regatta/sweep/block_task.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::measure {

/// Whether a block compares work on cores whose speed they limit: not programs, and not steps that do nothing.
bool needs_core_peak(const sweep::BlockTask& task);

/// Whether one of the arms that it compares computes on a device.
bool needs_device_peaks(const sweep::BlockTask& task);

/// The known peaks of a slot's hardware, in operations per second.
struct Peaks {
  double core = std::numeric_limits<double>::quiet_NaN();  ///< fp32 multiply-adds of one core
  std::optional<DevicePeaks> device = std::nullopt;
};

/// The peak of all the trial's cores together, or of products on its device in its precision. NaN: not known.
double peak_flops_per_second(const sweep::Parameters& parameters, const Peaks& peaks);

/// Time of one step of nothing but multiply-adds, at the peak; 0 if that is unknown. Bandwidth sets no limit here: what
/// fits into a cache is not read from memory, and that differs by engine.
double fastest_possible_seconds(const model::Work& work, double peak_flops_per_second);

/// "faster than the hardware: ..." if a step of `step_seconds` is impossible even by twice the measured peak (four
/// times with convolutions, for which there are exact methods with fewer multiplications); empty if it is possible, or
/// if that is not known: devices and precisions without a peak, models without products.
std::string faster_than_hardware(const model::Model& model, const sweep::Parameters& parameters, double step_seconds,
                                 const Peaks& peaks);

}  // namespace regatta::measure
