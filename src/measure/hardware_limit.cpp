#include "measure/hardware_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "regatta/base/units.hpp"

namespace regatta::measure {
namespace {

using sweep::Param;

constexpr double doubt = 2;              // of the measured peak: clocks rise, and the measurement was disturbed perhaps
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

}  // namespace

bool needs_core_peak(const sweep::BlockTask& task) {
  if (task.arms.size() < 2) return false;
  return std::ranges::any_of(task.arms, [](const sweep::ArmTask& arm) {
    return arm.model && !std::holds_alternative<model::Noop>(*arm.model);
  });
}

double fastest_possible_seconds(const model::Work& work, std::int64_t cores, double core_peak_flops_per_second) {
  const double peak = core_peak_flops_per_second * static_cast<double>(cores);
  return std::isfinite(peak) && peak > 0 ? flop_of(work) / peak : 0;
}

std::string faster_than_hardware(const model::Model& model, const sweep::Parameters& parameters, double step_seconds,
                                 double core_peak_flops_per_second) {
  if (!is_level(parameters, Param::device, "cpu") || !is_level(parameters, Param::precision, "fp32")) return {};
  if (sweep::saves_work(parameters)) return {};
  const std::int64_t batch = integer_or(parameters, Param::batch, 1);
  const model::Work work = is_level(parameters, Param::work, "infer") ? model::inference_work(model, batch)
                                                                      : model::training_work(model, batch);
  const std::int64_t cores = integer_or(parameters, Param::threads, 1) * integer_or(parameters, Param::ranks, 1);
  const double fastest = fastest_possible_seconds(work, cores, core_peak_flops_per_second);
  if (step_seconds * (has_convolution(model) ? convolution_doubt : doubt) >= fastest) return {};
  return fmt::format(
      "faster than the hardware: a step took {}, but {:.3g} MFLOP need {} at this slot's peak of {:.3g} GFLOP/s a core "
      "(some of the work was not done)",
      format_duration(step_seconds), flop_of(work) * 1e-6, format_duration(fastest), core_peak_flops_per_second * 1e-9);
}

}  // namespace regatta::measure
