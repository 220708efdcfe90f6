#include "arm.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "batches/train_plan.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/shared_memory.hpp"
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

exchange::BucketSizes bucket_sizes_of(const sweep::Parameters& parameters) {
  exchange::BucketSizes sizes;
  sizes.bytes =
      static_cast<std::uint64_t>(integer_or(parameters, Param::bucket_bytes, static_cast<std::int64_t>(sizes.bytes)));
  sizes.first_bytes = std::min(sizes.first_bytes, sizes.bytes);
  return sizes;
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
  if (settings.work == engine::Work::train) settings.shards = integer_or(parameters, Param::shards, 1);
  const bool is_of_batch = is_level(parameters, Param::batch_statistics, "batch");
  settings.batch_statistics = is_of_batch ? engine::BatchStatistics::batch : engine::BatchStatistics::shard;
  settings.buckets = bucket_sizes_of(parameters);
  const bool is_sharded = is_level(parameters, Param::optimizer_state, "sharded");
  settings.optimizer_state = is_sharded ? engine::OptimizerState::sharded : engine::OptimizerState::replicated;
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

std::string name_of(const sweep::Parameters& parameters) {
  const auto text = [&](sweep::Param param) { return sweep::to_text(parameters[param]); };
  return fmt::format("trial {} {} batch {}", text(sweep::Param::model), text(sweep::Param::mode),
                     text(sweep::Param::batch));
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
  for (const auto kind :
       {InterventionKind::input_resident, InterventionKind::kernels_emptied, InterventionKind::exchange_off})
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
  arm.exchange_off = name == sweep::name_of(sweep::InterventionKind::exchange_off);
  arm.device.processor.empty_kernels = arm.device.plugin.empty_kernels = is_emptied;
}

/// A rank's rows of each batch: (n, batch, ...) becomes (n, batch / ranks, ...).
template <class T>
void keep_rows(std::vector<T>& values, const model::Shape& shape, std::int64_t first, std::int64_t count) {
  const auto row = std::ssize(values) / (shape[0] * shape[1]);
  auto to = values.begin();
  for (std::int64_t batch = 0; batch < shape[0]; ++batch) {
    const auto from = values.begin() + (batch * shape[1] + first) * row;
    to = std::copy(from, from + count * row, to);
  }
  values.erase(to, values.end());
}

/// The memory or path that the rank shares with the others.
Group offered(const Arm& arm, std::uint32_t rank) {
  Group group{rank};
  if (!arm.device.is_processor()) {
    group.path = device_member(arm.device, rank);
    return group;
  }
  group.arena = engine::exchange_arena(arm.model, arm.settings);
  group.member.emplace(group.arena);
  group.path = group.member->path();
  return group;
}

/// From the trial's step to this rank's part of it.
void take_part(Arm& arm, std::uint32_t rank) {
  engine::Settings& settings = arm.settings;
  settings.ranks = integer_or(arm.parameters, Param::ranks, 1);
  if (!arm.device.is_processor()) settings.shards = settings.ranks;  // a rank takes its part of the batch at once
  const bool fits =
      rank < settings.ranks && settings.shards % settings.ranks == 0 && settings.batch % settings.shards == 0;
  if (!fits) {
    throw InputError(fmt::format(
        "{} ranks share a batch of {} in {} shards. Each rank needs as many whole shards as any other, and each shard "
        "as many samples. Take a batch that is a multiple of shards, and shards that are a multiple of ranks",
        settings.ranks, settings.batch, settings.shards));
  }
  settings.batch /= settings.ranks;
  settings.shards /= settings.ranks;
  settings.first_sample = rank * settings.batch;
  for (model::Tensor& tensor : arm.batch_tensors) {
    if (tensor.name != "x" && tensor.name != "y") continue;
    std::visit([&](auto& values) { keep_rows(values, tensor.shape, settings.first_sample, settings.batch); },
               tensor.values);
    tensor.shape[1] = settings.batch;
  }
  arm.group = offered(arm, rank);
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
  if (request.rank) take_part(arm, *request.rank);
  arm.batches = batches_of(arm.batch_tensors);
  arm.feeding = feeding_of(parameters, arm.batch_tensors);
  arm.feeder.emplace(arm.feeding, arm.batch_tensors, arm.batches);
  arm.backend = make_backend(arm.device, arm.settings.precision);
  if (!arm.device.is_processor()) arm.name = name_of(parameters);
  const DeviceRange trial(*arm.backend, arm.name);
  const DeviceRange range(*arm.backend, "prepare");
  arm.session = engine::make_session(arm.model, arm.weights, arm.settings, *arm.backend);
  arm.backend->synchronize(arm.backend->event());  // others are measured next
  return arm;
}

void join_group(Arm& arm, const protocol::Join& request) {
  expect(arm.group && (arm.group->member || !arm.device.is_processor()), "an arm of several ranks joins once");
  Group& group = *arm.group;
  group.patience_seconds = request.patience_seconds;
  if (!arm.device.is_processor()) {
    group.devices = join_devices(arm.device, group.rank, request);
    if (!arm.exchange_off) arm.session->join(*group.devices);
    return;
  }
  std::vector<UniqueFd> opened;
  std::vector<int> fds;
  for (const std::string& path : request.members)
    fds.push_back(opened.emplace_back(open_shared_memory(path, O_RDONLY)).get());
  const UniqueFd stop = open_shared_memory(request.stop, O_RDONLY);
  const bool may_diverge =
      arm.settings.moving_moments || arm.device.processor.empty_kernels;  // it trains, or adds rest
  group.communicator =
      exchange::make_shared_memory_communicator(group.arena, group.rank, *std::move(group.member), fds, stop.get(),
                                                may_diverge ? exchange::NotFinite::passes : exchange::NotFinite::fails);
  group.member.reset();
  if (!arm.exchange_off) arm.session->join(*group.communicator, group.patience_seconds);
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
  if (arm.device.is_processor()) bytes += arm.session->plan().arena_bytes + arm.session->plan().state_bytes;
  if (arm.group) bytes += exchange::shared_bytes(arm.group->arena);
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
