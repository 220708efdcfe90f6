#include "regatta/analysis/roofline.hpp"

#include <cmath>
#include <string>

#include "analysis/judging/judging.hpp"
#include "regatta/base/error.hpp"
#include "regatta/model/shapes.hpp"
#include "regatta/sweep/model_of.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::analysis {
namespace {

using sweep::Param;

bool holds(const sweep::Parameters& parameters, Param param, const char* word) {
  const auto* text = std::get_if<std::string>(&parameters[param]);
  return text != nullptr && *text == word;
}

/// A result file may name a model that this version does not know.
std::optional<model::Model> known_model(const sweep::Sweep& sweep, const sweep::Parameters& parameters) {
  try {
    return sweep::model_of(sweep, parameters);
  } catch (const InternalError&) {
    return std::nullopt;
  }
}

/// The peak of the cores that the trial was given, or of its device in its precision. NaN: not known.
double peak_flops_per_second(const sweep::Parameters& parameters, const results::Calibration& calibration) {
  if (holds(parameters, Param::device, "cpu")) {
    if (!holds(parameters, Param::precision, "fp32")) return std::nan("");
    const std::int64_t cores = integer_or(parameters, Param::threads, 1) * integer_or(parameters, Param::ranks, 1);
    return calibration.core_peak_flops_per_second * static_cast<double>(cores);
  }
  if (holds(parameters, Param::precision, "fp32")) return calibration.device.fp32_flops_per_second;
  if (holds(parameters, Param::precision, "tf32")) return calibration.device.tf32_flops_per_second;
  return holds(parameters, Param::precision, "bf16") ? calibration.device.bf16_flops_per_second : std::nan("");
}

}  // namespace

struct Roofline::Spec {
  sweep::Sweep sweep;
};

Roofline::Roofline(const results::Results& results)
    : results_(results), spec_(std::make_unique<Spec>(Spec{spec_of(results).value_or(sweep::Sweep{})})) {}

Roofline::~Roofline() = default;

std::optional<double> Roofline::step_seconds(const results::TrialRow& trial) const {
  const auto& parameters = trial.parameters;
  const auto device = static_cast<std::size_t>(trial.device);
  if (trial.device < 0 || device >= results_.devices.size() || sweep::saves_work(parameters)) return std::nullopt;
  const double peak = peak_flops_per_second(parameters, results_.devices[device].calibration);
  if (!std::isfinite(peak) || !(peak > 0)) return std::nullopt;
  const auto model = known_model(spec_->sweep, parameters);
  if (!model) return std::nullopt;
  const std::int64_t batch = integer_or(parameters, Param::batch, 1);
  const model::Work work = holds(parameters, Param::work, "infer") ? model::inference_work(*model, batch)
                                                                   : model::training_work(*model, batch);
  const double flop = work.forward_flop + work.input_gradient_flop + work.weight_gradient_flop;
  return flop > 0 ? std::optional(flop / peak) : std::nullopt;
}

}  // namespace regatta::analysis
