#include "regatta/engine/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "engine/ir/program.hpp"
#include "engine/passes/choosing.hpp"
#include "engine/run/device_step.hpp"
#include "engine/run/executor.hpp"
#include "engine/run/optimizer_slices.hpp"
#include "engine/run/optimizer_state.hpp"
#include "engine/run/sharded_step.hpp"
#include "engine/run/storage.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/model/abilities.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::engine {

namespace {

constexpr std::int64_t kFloat = sizeof(float);
enum ImportSlot { kSlotX, kSlotY };

model::ComputedOn computed_on(const Backend& backend) {
  return backend.plan_hints().rounds_images ? model::ComputedOn::device : model::ComputedOn::processor;
}

/// What is labelled bf16 is bf16 throughout.
void refuse_products_in_fp32(const model::Model& model, model::ComputedOn on) {
  const auto* network = std::get_if<model::Network>(&model);
  const auto layer = network != nullptr ? model::first_in_fp32(*network, on) : std::nullopt;
  if (!layer) return;
  throw InputError(fmt::format("precision bf16 is there for {} layers (this model has {}); take fp32",
                               model::layers_in_bf16(on), model::info(network->layers[*layer]).name));
}

/// Whether each rank updates its part of the parameters.
bool is_optimizer_sharded(const Settings& settings) {
  return settings.work == Work::train && settings.ranks > 1 && settings.optimizer_state == OptimizerState::sharded;
}

/// Moments of the parameters.
std::size_t moments_of(const model::Optimizer& optimizer) {
  if (std::holds_alternative<model::Adam>(optimizer)) return 2;
  return std::get<model::Sgd>(optimizer).momentum != 0 ? 1 : 0;
}

/// The settings, where the backend has what they ask for; nothing is allocated before.
const Settings& checked(const Settings& settings, const model::Model& model, const Backend& backend) {
  expect(backend.precision() == settings.precision, "a backend is made for the precision of its session");
  if (settings.work == Work::train && settings.shards > 1 && computed_on(backend) == model::ComputedOn::device)
    throw InputError("shards above 1 are computed on processors only (this is a device); take 1 there");
  if (settings.ranks > 1 && settings.accumulate > 1 && computed_on(backend) == model::ComputedOn::device)
    throw InputError("ranks on devices accumulate no gradients (accumulate is above 1); take 1 there");
  if (is_optimizer_sharded(settings) && computed_on(backend) == model::ComputedOn::device)
    throw InputError(
        "an optimizer state that is sharded is there on processors only (this is a device); take replicated");
  if (is_sharded(settings) && settings.batch_statistics == BatchStatistics::batch &&
      computed_on(backend) == model::ComputedOn::device) {
    throw InputError(
        "batch_statistics batch is computed on processors only (this is a device, whose ranks normalize their parts of "
        "the batch by moments of their own); take shard there");
  }
  if (settings.precision == Precision::bf16) refuse_products_in_fp32(model, computed_on(backend));
  return settings;
}

class ProgramSession final : public Session {
 public:
  ProgramSession(const model::Model& model, const Settings& settings, Backend& backend)
      : settings_(checked(settings, model, backend)),
        program_(lower(model, settings_)),
        backend_(backend),
        storage_(program_, backend, !is_optimizer_sharded(settings)) {
    const double begin_seconds = steady_seconds();
    choose_kernels(program_, backend_, plan_);
    make_step(model);
    if (executor_ && settings_.work == Work::train && settings_.accumulate > 1) {
      accumulating_program_ = without_update(program_);
      accumulating_executor_ = make_executor(*accumulating_program_);
    }
    plan_.plan_seconds = steady_seconds() - begin_seconds;
    plan_.state_bytes = static_cast<std::uint64_t>(storage_.bytes() + (slices_ ? slices_->bytes() : 0));
    plan_.eager_ops = static_cast<std::int64_t>(step_ops(program_).size());
    graphs_before_seconds_ = backend_.graph_seconds();
    plan_.graph_calls = sharded_ ? sharded_->calls() : on_device_ ? on_device_->calls() : executor_->calls();
    plan_.isa = backend_.isa();
    output_ = find(Role::output);
    sample_losses_ = find(Role::sample_losses);
    mean_loss_ = find(Role::mean_loss);
    step_state_ = find(Role::step_state);
  }

  void step(const Batch& batch) override {
    check(batch);
    inputs_ = {};
    if (program_.x_count > 0) {
      inputs_.x = backend_.import(kSlotX, batch.x.data(), parts() * program_.x_count * kFloat);
    } else if (program_.x_int_count > 0) {
      inputs_.x = backend_.import(kSlotX, batch.x_int.data(), parts() * program_.x_int_count * kFloat);
    }
    if (program_.y_float_count > 0) {
      inputs_.y = backend_.import(kSlotY, batch.y_float.data(), parts() * program_.y_float_count * kFloat);
    } else if (program_.y_int_count > 0) {
      inputs_.y = backend_.import(kSlotY, batch.y_int.data(), parts() * program_.y_int_count * kFloat);
    }
    has_batch_ = true;
    step_in_place();
  }

  void step_in_place() override {
    expect(has_batch_, "a step in place comes after one with its batch");
    ++steps_;
    const bool updates = steps_ % settings_.accumulate == 0;
    if (sharded_) return sharded_->run(inputs_, updates);
    if (on_device_) return on_device_->run(inputs_);
    (updates || accumulating_executor_ == nullptr ? executor_ : accumulating_executor_)->run(inputs_);
  }

  void wait() override { backend_.synchronize(backend_.event()); }

  void join(exchange::Communicator& communicator, double patience_seconds) override {
    expect(sharded_.has_value(), "a session of several ranks joins the others");
    sharded_->join(communicator, patience_seconds);
  }

  void join(DeviceGroup& group) override {
    expect(on_device_.has_value(), "a session of several ranks on devices joins the others");
    on_device_->join(group);
  }

  [[nodiscard]] double exposed_exchange_seconds() const override {
    return sharded_ ? sharded_->exposed_exchange_seconds() : backend_.exposed_exchange_seconds();
  }

  exchange::Arrivals take_arrivals() override { return sharded_ ? sharded_->take_arrivals() : exchange::Arrivals(); }

  [[nodiscard]] float mean_loss() const override {
    if (sharded_) return sharded_->mean_loss();
    if (mean_loss_ == nullptr) return 0;
    return view(mean_loss_, 1)[0] * (on_device_ ? on_device_->loss_share() : 1.0F);
  }

  [[nodiscard]] std::span<const float> sample_losses() const override {
    if (sharded_) return sharded_->sample_losses();
    if (sample_losses_ == nullptr) return {};
    return view(sample_losses_, program_.sample_loss_count);
  }

  [[nodiscard]] std::span<const float> output() const override {
    if (sharded_) return sharded_->output();
    if (output_ == nullptr) return {};
    return view(output_, program_.output_count);
  }

  [[nodiscard]] std::vector<model::Tensor> weights() const override {
    std::vector<model::Tensor> tensors = copies(&ParameterBuffers::value);
    for (const MovingMoment& moment : program_.moving_moments) tensors.push_back(copy(moment, moment.value));
    return tensors;
  }
  [[nodiscard]] std::vector<model::Tensor> gradients() const override {
    if (sharded_) sharded_->put_gradients_in_place();
    return copies(&ParameterBuffers::gradient);
  }

  void load(const std::vector<model::Tensor>& weights) override {
    const bool begins = !holds_moments(weights);
    check_weights(weights, begins);
    clear_state();
    steps_ = 0;
    write_weights(weights, begins);
  }

  void set_learning_rate(double learning_rate) override {
    const float rate = checked_learning_rate(learning_rate);
    auto* const state = static_cast<std::byte*>(step_state_);
    if (state != nullptr) backend_.write(state + offsetof(StepState, learning_rate), &rate, sizeof rate);
  }

  [[nodiscard]] std::vector<model::Tensor> optimizer_state() const override {
    if (slices_) return state_tensors(program_, slices_->whole().addresses, backend_, steps_);
    return state_tensors(program_, storage_.addresses(), backend_, steps_);
  }

  void restore(const std::vector<model::Tensor>& weights, const std::vector<model::Tensor>& state) override {
    check_weights(weights, false);
    const StepState step_state = checked_state(program_, storage_.addresses(), state);
    clear_state();
    write_weights(weights, false);
    steps_ = step_state.step;
    if (!slices_) return write_state(program_, storage_.addresses(), backend_, step_state, state);
    const WholeMoments moments = slices_->whole_zeros();
    write_state(program_, moments.addresses, backend_, step_state, state);
    slices_->take(moments);
  }

  [[nodiscard]] const PlanInfo& plan() const override {
    const std::int64_t bytes = sharded_     ? sharded_->temporary_bytes()
                               : on_device_ ? on_device_->temporary_bytes()
                                            : executor_->temporary_bytes();
    plan_.arena_bytes = static_cast<std::uint64_t>(bytes);  // eager's grows in its first step
    plan_.graph_seconds = backend_.graph_seconds() - graphs_before_seconds_;
    return plan_;
  }

 private:
  void clear_state() {
    storage_.clear_state();
    if (slices_) slices_->clear();
  }

  void make_step(const model::Model& model) {
    const auto part = [this](const ExecutorContext& context) { return make_executor(context); };
    if (!is_sharded(settings_) || !program_.has_mean_loss) {
      executor_ = make_executor(program_);
    } else if (computed_on(backend_) == model::ComputedOn::device) {
      on_device_.emplace(program_, storage_, backend_, settings_, part);
    } else {
      if (is_optimizer_sharded(settings_))
        slices_.emplace(program_, storage_, backend_, settings_, exchange_arena(model, settings_), part);
      sharded_.emplace(program_, storage_, backend_, settings_, part, slices_ ? &*slices_ : nullptr);
    }
  }

  [[nodiscard]] std::unique_ptr<Executor> make_executor(const Program& program) const {
    return make_executor(ExecutorContext{program, storage_.addresses(), backend_, settings_});
  }

  [[nodiscard]] std::unique_ptr<Executor> make_executor(const ExecutorContext& context) const {
    return settings_.mode == Mode::eager ? make_eager_executor(context) : make_graph_executor(context);
  }

  [[nodiscard]] void* address(BufferIndex buffer) const {
    return storage_.addresses()[static_cast<std::size_t>(buffer)];
  }

  [[nodiscard]] void* find(Role role) const {
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
      if (program_.buffers[i].role == role) return storage_.addresses()[i];
    }
    return nullptr;
  }

  [[nodiscard]] std::span<const float> view(const void* memory, std::int64_t count) const {
    return {static_cast<const float*>(backend_.host_view(memory, count * kFloat)), static_cast<std::size_t>(count)};
  }

  /// A tensor of the name and shape of `like`.
  [[nodiscard]] model::Tensor copy(const auto& like, BufferIndex buffer) const {
    const auto values = view(address(buffer), model::element_count(like.shape));
    return {like.name, like.shape, std::vector<float>(values.begin(), values.end())};
  }

  [[nodiscard]] std::vector<model::Tensor> copies(BufferIndex ParameterBuffers::*buffer) const {
    std::vector<model::Tensor> tensors;
    for (const ParameterBuffers& parameter : program_.parameters) tensors.push_back(copy(parameter, parameter.*buffer));
    return tensors;
  }

  [[nodiscard]] bool holds_moments(const std::vector<model::Tensor>& weights) const {
    return std::ranges::any_of(program_.moving_moments, [&](const MovingMoment& moment) {
      return std::ranges::find(weights, moment.name, &model::Tensor::name) != weights.end();
    });
  }

  /// With `begins` the moving moments are those before the first step, and not among the weights.
  void check_weights(const std::vector<model::Tensor>& weights, bool begins) const {
    for (const ParameterBuffers& parameter : program_.parameters)
      expect_fits("weights", weights, parameter.name, parameter.shape);
    if (begins) return;
    for (const MovingMoment& moment : program_.moving_moments)
      expect_fits("weights", weights, moment.name, moment.shape);
  }

  void write_weights(const std::vector<model::Tensor>& weights, bool begins) {
    for (const ParameterBuffers& parameter : program_.parameters)
      write(parameter.value, model::tensor_named(weights, parameter.name));
    for (const MovingMoment& moment : program_.moving_moments) {
      const auto count = static_cast<std::size_t>(model::element_count(moment.shape));
      write(moment.value, begins ? model::Tensor{moment.name, moment.shape, std::vector<float>(count, moment.start)}
                                 : model::tensor_named(weights, moment.name));
    }
  }

  void write(BufferIndex buffer, const model::Tensor& tensor) {
    const auto& values = std::get<std::vector<float>>(tensor.values);
    backend_.write(address(buffer), values.data(), std::ssize(values) * kFloat);
  }

  /// Programs for which a batch is enough.
  [[nodiscard]] std::int64_t parts() const { return sharded_ ? settings_.shards : 1; }

  void check(const Batch& batch) const {
    const auto are = [this](const auto& values, std::int64_t count) { return std::ssize(values) == parts() * count; };
    const bool fits = are(batch.x, program_.x_count) && are(batch.x_int, program_.x_int_count) &&
                      (program_.y_float_count == 0 || are(batch.y_float, program_.y_float_count)) &&
                      (program_.y_int_count == 0 || are(batch.y_int, program_.y_int_count));
    if (!fits) fail_size(batch);
    if (program_.x_int_count > 0) check("x_int", "indices", batch.x_int, program_.vocabulary);
    if (program_.y_int_count > 0) check("y_int", "classes", batch.y_int, program_.classes);
  }

  [[noreturn]] void fail_size(const Batch& batch) const {
    throw InputError(fmt::format(
        "batch: x has {} values, x_int {}, y_float {}, y_int {} (this step reads {}, {}, {} and {}); give a "
        "batch of {} samples",
        batch.x.size(), batch.x_int.size(), batch.y_float.size(), batch.y_int.size(), parts() * program_.x_count,
        parts() * program_.x_int_count, parts() * program_.y_float_count, parts() * program_.y_int_count,
        settings_.batch));
  }

  /// All of them lie in [0, limit).
  static void check(const char* name, const char* what, std::span<const std::int32_t> values, std::int64_t limit) {
    std::uint32_t largest = 0;  // negative ones become large
    for (const std::int32_t value : values) largest = std::max(largest, static_cast<std::uint32_t>(value));
    if (largest < limit) return;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] >= 0 && values[i] < limit) continue;
      throw InputError(
          fmt::format("batch: {}[{}] is {} ({} lie in [0, {})); correct them", name, i, values[i], what, limit));
    }
  }

  Settings settings_;
  Program program_;
  Backend& backend_;
  Storage storage_;
  std::unique_ptr<Executor> executor_;
  std::optional<OptimizerSlices> slices_;        ///< where each rank updates a part of the parameters
  std::optional<ShardedStep> sharded_;           ///< in place of the executor: of steps in parts
  std::optional<DeviceStep> on_device_;          ///< the same on a device
  std::optional<Program> accumulating_program_;  ///< with Settings::accumulate: of the steps that make no update
  std::unique_ptr<Executor> accumulating_executor_;
  mutable PlanInfo plan_;
  Inputs inputs_;  ///< the last step had them
  std::int64_t steps_ = 0;
  double graphs_before_seconds_ = 0;  ///< sessions before this one took so long
  bool has_batch_ = false;
  void* output_ = nullptr;
  void* sample_losses_ = nullptr;
  void* mean_loss_ = nullptr;
  void* step_state_ = nullptr;
};

}  // namespace

std::unique_ptr<Session> make_session(const model::Model& model, const std::vector<model::Tensor>& weights,
                                      const Settings& settings, Backend& backend) {
  auto session = std::make_unique<ProgramSession>(model, settings, backend);
  session->load(weights);
  return session;
}

exchange::Arena exchange_arena(const model::Model& model, const Settings& settings) {
  const Program program = lower(model, settings);
  const auto elements = [&](BufferIndex buffer) {
    return static_cast<std::size_t>(program.buffers[static_cast<std::size_t>(buffer)].bytes / kFloat);
  };
  std::vector<std::size_t> tensors;
  for (const BatchStatistic& statistic : program.statistics)
    tensors.push_back(statistic.sums.size() * static_cast<std::size_t>(statistic.columns));
  for (auto parameter = program.parameters.rbegin(); parameter != program.parameters.rend(); ++parameter)
    tensors.push_back(elements(parameter->gradient));
  std::size_t moments = 0;
  for (const MovingMoment& moment : program.moving_moments) moments += elements(moment.value);
  if (moments > 0 && program.statistics.empty()) tensors.push_back(moments);
  tensors.push_back(1);  // the loss
  exchange::Arena arena = exchange::make_arena(tensors, settings.buckets, static_cast<std::size_t>(settings.ranks),
                                               program.statistics.size());
  if (!is_optimizer_sharded(settings)) return arena;
  arena.states = 1;
  if (settings.moving_moments) arena.states += moments_of(std::get<model::Network>(model).optimizer);
  return arena;
}

}  // namespace regatta::engine
