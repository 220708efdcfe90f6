#include "measure/hardware_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "regatta/base/units.hpp"
#include "regatta/sweep/slot.hpp"

namespace regatta::measure {
namespace {

using sweep::Param;

constexpr double doubt = 2;  // times the measured peak: clocks rise, and the measurement was disturbed perhaps
constexpr double convolution_doubt = 4;  // Winograd's method saves up to this on kernels of 3 (Lavin and Gray 2016)

bool has_convolution(const model::Model& model) {
  const auto* network = std::get_if<model::Network>(&model);
  return network != nullptr && std::ranges::any_of(network->layers, [](const model::Layer& layer) {
           return std::holds_alternative<model::Conv1d>(layer) || std::holds_alternative<model::Conv2d>(layer);
         });
}

double flop_of(const model::Work& work) {
  return work.forward_flop + work.input_gradient_flop + work.weight_gradient_flop;
}

bool is_on_cores(const sweep::Parameters& parameters) {
  return sweep::device_kind_of(parameters) == sweep::DeviceKind::cpu;
}

/// Whether one of the arms computes there.
bool computes(const sweep::BlockTask& task, bool on_cores) {
  if (task.arms.size() < 2) return false;
  return std::ranges::any_of(task.arms, [&](const sweep::ArmTask& arm) {
    const bool has_work = arm.model && !std::holds_alternative<model::Noop>(*arm.model);
    return has_work && is_on_cores(arm.parameters) == on_cores;
  });
}

std::string place_text(const sweep::Parameters& parameters, const Peaks& peaks) {
  if (is_on_cores(parameters)) return fmt::format("this slot's peak of {:.3g} GFLOP/s a core", peaks.core * 1e-9);
  return fmt::format("this device's peak of {:.3g} TFLOP/s in {}", peak_flops_per_second(parameters, peaks) * 1e-12,
                     text_of(parameters, Param::precision));
}

}  // namespace

bool needs_core_peak(const sweep::BlockTask& task) { return computes(task, true); }

bool needs_device_peaks(const sweep::BlockTask& task) { return computes(task, false); }

double peak_flops_per_second(const sweep::Parameters& parameters, const Peaks& peaks) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  if (is_on_cores(parameters)) {
    if (!is_level(parameters, Param::precision, "fp32")) return unknown;
    const std::int64_t cores = integer_or(parameters, Param::threads, 1) * integer_or(parameters, Param::ranks, 1);
    return peaks.core * static_cast<double>(cores);
  }
  if (!peaks.device) return unknown;
  if (is_level(parameters, Param::precision, "fp32")) return peaks.device->fp32;
  if (is_level(parameters, Param::precision, "tf32")) return peaks.device->tf32;
  return is_level(parameters, Param::precision, "bf16") ? peaks.device->bf16 : unknown;
}

double fastest_possible_seconds(const model::Work& work, double peak_flops_per_second) {
  const bool is_known = std::isfinite(peak_flops_per_second) && peak_flops_per_second > 0;
  return is_known ? flop_of(work) / peak_flops_per_second : 0;
}

std::string faster_than_hardware(const model::Model& model, const sweep::Parameters& parameters, double step_seconds,
                                 const Peaks& peaks) {
  if (sweep::saves_work(parameters)) return {};
  const std::int64_t batch = integer_or(parameters, Param::batch, 1);
  const model::Work work = is_level(parameters, Param::work, "infer") ? model::inference_work(model, batch)
                                                                      : model::training_work(model, batch);
  const double fastest = fastest_possible_seconds(work, peak_flops_per_second(parameters, peaks));
  if (step_seconds * (has_convolution(model) ? convolution_doubt : doubt) >= fastest) return {};
  return fmt::format(
      "faster than the hardware: a step took {}, but {:.3g} MFLOP need {} at {} (some of the work was not done)",
      format_duration(step_seconds), flop_of(work) * 1e-6, format_duration(fastest), place_text(parameters, peaks));
}

}  // namespace regatta::measure
