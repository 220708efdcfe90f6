#include "arm.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "batches/train_plan.hpp"
#include "regatta/base/error.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/model/shapes.hpp"
#include "regatta/sweep/intervention.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::worker {
namespace {

using sweep::Param;

engine::Precision precision_of(const sweep::Parameters& parameters) {
  if (is_level(parameters, Param::precision, "bf16")) return engine::Precision::bf16;
  return is_level(parameters, Param::precision, "tf32") ? engine::Precision::tf32 : engine::Precision::fp32;
}

engine::Settings settings_of(const sweep::Parameters& parameters) {
  engine::Settings settings;
  settings.mode = is_level(parameters, Param::mode, "eager") ? engine::Mode::eager : engine::Mode::graph;
  settings.work = is_level(parameters, Param::work, "infer") ? engine::Work::infer : engine::Work::train;
  settings.precision = precision_of(parameters);
  const bool is_rewritten = is_level(parameters, Param::rewrite, "algebraic");
  settings.rewrite = is_rewritten ? engine::Rewrite::algebraic : engine::Rewrite::none;
  const bool is_transformed = is_level(parameters, Param::algorithm, "fft");
  settings.algorithm = is_transformed ? engine::Algorithm::fft : engine::Algorithm::direct;
  settings.weight_decay = static_cast<float>(real_or(parameters, Param::weight_decay, 0));
  settings.clip_norm = real_or(parameters, Param::clip_norm, 0);
  settings.accumulate = integer_or(parameters, Param::accumulate, 1);
  settings.batch = integer_or(parameters, Param::batch, 1);
  settings.seed = static_cast<std::uint64_t>(integer_or(parameters, Param::seed, 0));
  return settings;
}

// A file that cannot be read says nothing about what the engine supports.
std::vector<model::Tensor> read_tensors(const std::string& path) try {
  return path.empty() ? std::vector<model::Tensor>() : model::read_safetensors(path);
} catch (const InputError& error) {
  throw std::runtime_error(error.what());
}

template <class T>
std::span<const T> piece(const model::Tensor& tensor, std::size_t index, std::size_t count) {
  const auto* values = std::get_if<std::vector<T>>(&tensor.values);
  if (values == nullptr) return {};
  const std::size_t size = values->size() / count;
  return std::span(*values).subspan(index * size, size);
}

}  // namespace

std::vector<engine::Batch> batches_of(const std::vector<model::Tensor>& tensors) {
  if (tensors.empty()) return {engine::Batch{}};
  const model::Tensor& x = model::tensor_named(tensors, "x");
  const auto y = std::find_if(tensors.begin(), tensors.end(), [](const auto& tensor) { return tensor.name == "y"; });
  const std::int64_t count = x.shape.empty() ? 0 : x.shape.front();
  if (count < 1 || (y != tensors.end() && (y->shape.empty() || y->shape.front() != count))) {
    throw std::runtime_error("the batches file holds no batches, or not as many of y as of x; write it again");
  }
  std::vector<engine::Batch> batches(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < batches.size(); ++i) {
    batches[i].x = piece<float>(x, i, batches.size());
    batches[i].x_int = piece<std::int32_t>(x, i, batches.size());
    if (y == tensors.end()) continue;
    batches[i].y_float = piece<float>(*y, i, batches.size());
    batches[i].y_int = piece<std::int32_t>(*y, i, batches.size());
  }
  return batches;
}

std::vector<std::string> offered_interventions() {
  using sweep::InterventionKind;
  std::vector<std::string> names;
  for (const auto kind : {InterventionKind::input_resident, InterventionKind::kernels_emptied})
    names.emplace_back(sweep::name_of(kind));
  return names;
}

namespace {

void intervene(Arm& arm, const std::string& name) {
  if (name.empty()) return;
  const auto offered = offered_interventions();
  if (std::find(offered.begin(), offered.end(), name) == offered.end())
    throw InputError("the engine native offers no intervention '" + name + "'");
  arm.input_resident = name == sweep::name_of(sweep::InterventionKind::input_resident);
  const bool is_emptied = name == sweep::name_of(sweep::InterventionKind::kernels_emptied);
  arm.device.processor.empty_kernels = arm.device.plugin.empty_kernels = is_emptied;
}

}  // namespace

const model::Model& LastModel::of(const std::string& text) {
  if (text_ != text || text.empty()) {
    model_ = model::parse_model(text);
    text_ = text;
  }
  return model_;
}

Arm prepare_arm(const protocol::Prepare& request, LastModel& models) {
  Arm arm;
  arm.model = models.of(request.model);
  arm.parameters = request.parameters;
  const sweep::Parameters& parameters = arm.parameters;
  arm.settings = settings_of(parameters);
  arm.settings.moving_moments = request.batches_path.empty();  // it trains to an end, and is evaluated
  arm.device = device_of(parameters);
  intervene(arm, request.intervention);
  arm.weights = read_tensors(request.weights_path);
  arm.batch_tensors = read_tensors(request.batches_path);
  arm.batches = batches_of(arm.batch_tensors);
  arm.feeding = feeding_of(parameters, arm.batch_tensors);
  arm.feeder.emplace(arm.feeding, arm.batch_tensors, arm.batches);
  arm.backend = make_backend(arm.device, arm.settings.precision);
  arm.session = engine::make_session(arm.model, arm.weights, arm.settings, *arm.backend);
  arm.backend->synchronize(arm.backend->event());  // others are measured next
  return arm;
}

std::string kernels_text(const engine::PlanInfo& plan) {
  std::string text = plan.isa;
  const auto begin = plan.choices.begin();
  for (auto choice = begin; choice != plan.choices.end(); ++choice) {
    if (std::find(begin, choice, *choice) == choice) text += "; " + *choice;  // layers of one shape share it
  }
  return text;
}

std::uint64_t held_bytes(const Arm& arm) {
  std::uint64_t bytes = arm.feeder->held_bytes();
  if (arm.device.is_processor()) bytes += arm.session->plan().arena_bytes;
  for (const auto* tensors : {&arm.weights, &arm.batch_tensors}) {
    for (const model::Tensor& tensor : *tensors) {
      bytes += static_cast<std::uint64_t>(model::element_count(tensor.shape)) * sizeof(float);
    }
  }
  return bytes;
}

std::optional<protocol::DeviceMemory> device_memory(const Arm& arm) {
  if (arm.device.is_processor()) return std::nullopt;
  return protocol::DeviceMemory{static_cast<std::uint64_t>(arm.backend->held_bytes()),
                                static_cast<std::uint64_t>(arm.device.memory_bytes)};
}

}  // namespace regatta::worker
