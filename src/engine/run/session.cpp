#include "regatta/engine/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "engine/ir/program.hpp"
#include "engine/passes/passes.hpp"
#include "engine/run/optimizer_slices.hpp"
#include "engine/run/optimizer_state.hpp"
#include "engine/run/step.hpp"
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

/// Refuses models with products in fp32: a run that is labelled bf16 is bf16 throughout.
void refuse_products_in_fp32(const model::Model& model, model::ComputedOn on) {
  const auto* network = std::get_if<model::Network>(&model);
  const auto layer = network != nullptr ? model::first_in_fp32(*network, on) : std::nullopt;
  if (!layer) return;
  throw InputError(fmt::format("precision bf16 is there for {} layers (this model has {}); take fp32",
                               model::layers_in_bf16(on), model::info(network->layers[*layer]).name));
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
        "batch_statistics batch is computed on processors only (ranks of a device normalize their parts of the batch "
        "by moments of their own). Take shard there");
  }
  if (settings.precision == Precision::bf16) refuse_products_in_fp32(model, computed_on(backend));
  return settings;
}

/// Makes the kind of step that the settings, the program and the backend want.
std::unique_ptr<Step> make_step(const StepContext& context) {
  if (!is_sharded(context.settings) || !context.program.has_mean_loss) return make_whole_step(context);
  const bool is_device = computed_on(context.backend) == model::ComputedOn::device;
  return is_device ? make_device_step(context) : make_sharded_step(context);
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
    step_ = make_step({program_, storage_, backend_, settings_});
    shards_ = step_->shards();
    plan_.plan_seconds = steady_seconds() - begin_seconds;
    plan_.state_bytes = static_cast<std::uint64_t>(storage_.bytes() + step_->optimizer_bytes());
    plan_.eager_ops = static_cast<std::int64_t>(step_ops(program_).size());
    graphs_before_seconds_ = backend_.graph_seconds();
    plan_.graph_calls = step_->calls();
    plan_.isa = backend_.isa();
    step_state_ = state_address(program_, storage_.addresses());
  }

  void step(const Batch& batch) override {
    check(batch);
    inputs_ = {};
    if (program_.x_count > 0) {
      inputs_.x = backend_.import(kSlotX, batch.x.data(), shards_ * program_.x_count * kFloat);
    } else if (program_.x_int_count > 0) {
      inputs_.x = backend_.import(kSlotX, batch.x_int.data(), shards_ * program_.x_int_count * kFloat);
    }
    if (program_.y_float_count > 0) {
      inputs_.y = backend_.import(kSlotY, batch.y_float.data(), shards_ * program_.y_float_count * kFloat);
    } else if (program_.y_int_count > 0) {
      inputs_.y = backend_.import(kSlotY, batch.y_int.data(), shards_ * program_.y_int_count * kFloat);
    }
    has_batch_ = true;
    step_in_place();
  }

  void step_in_place() override {
    expect(has_batch_, "a step in place comes after one with its batch");
    ++steps_;
    step_->run(inputs_, steps_ % settings_.accumulate == 0);
  }

  void wait() override { backend_.synchronize(backend_.event()); }

  void join(exchange::Communicator& communicator, double patience_seconds) override {
    step_->join(communicator, patience_seconds);
  }

  void join(DeviceGroup& group) override { step_->join(group); }

  [[nodiscard]] double exposed_exchange_seconds() const override { return step_->exposed_exchange_seconds(); }
  exchange::Arrivals take_arrivals() override { return step_->take_arrivals(); }

  [[nodiscard]] float mean_loss() const override { return step_->mean_loss(); }
  [[nodiscard]] std::span<const float> sample_losses() const override { return step_->sample_losses(); }
  [[nodiscard]] std::span<const float> output() const override { return step_->output(); }

  [[nodiscard]] std::vector<model::Tensor> weights() const override {
    std::vector<model::Tensor> tensors = copies(&ParameterBuffers::value);
    for (const MovingMoment& moment : program_.moving_moments) tensors.push_back(copy(moment, address(moment)));
    return tensors;
  }
  [[nodiscard]] std::vector<model::Tensor> gradients() const override {
    step_->put_gradients_in_place();
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

  [[nodiscard]] std::vector<model::Tensor> optimizer_state() const override { return step_->optimizer_state(steps_); }

  void restore(const std::vector<model::Tensor>& weights, const std::vector<model::Tensor>& state) override {
    check_weights(weights, false);
    const StepState step_state = checked_state(program_, storage_.addresses(), state);
    clear_state();
    write_weights(weights, false);
    steps_ = step_state.step;
    step_->restore_optimizer(step_state, state);
  }

  [[nodiscard]] const PlanInfo& plan() const override {
    plan_.arena_bytes = static_cast<std::uint64_t>(step_->temporary_bytes());  // eager's grow in its first step
    plan_.graph_seconds = backend_.graph_seconds() - graphs_before_seconds_;
    return plan_;
  }

 private:
  void clear_state() {
    storage_.clear_state();
    step_->clear_optimizer();
  }

  [[nodiscard]] void* address(BufferIndex buffer) const {
    return storage_.addresses()[static_cast<std::size_t>(buffer)];
  }

  [[nodiscard]] std::span<const float> view(const void* memory, std::int64_t count) const {
    return {static_cast<const float*>(backend_.host_view(memory, count * kFloat)), static_cast<std::size_t>(count)};
  }

  [[nodiscard]] void* address(const MovingMoment& moment) const {
    return static_cast<float*>(address(moment.buffer)) + moment.offset;
  }

  /// A tensor of the name and shape of `like`.
  [[nodiscard]] model::Tensor copy(const auto& like, const void* memory) const {
    const auto values = view(memory, model::element_count(like.shape));
    return {like.name, like.shape, std::vector<float>(values.begin(), values.end())};
  }

  [[nodiscard]] std::vector<model::Tensor> copies(BufferIndex ParameterBuffers::*buffer) const {
    std::vector<model::Tensor> tensors;
    for (const ParameterBuffers& parameter : program_.parameters)
      tensors.push_back(copy(parameter, address(parameter.*buffer)));
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
      write(address(parameter.value), model::tensor_named(weights, parameter.name));
    for (const MovingMoment& moment : program_.moving_moments) {
      const auto count = static_cast<std::size_t>(model::element_count(moment.shape));
      write(address(moment), begins ? model::Tensor{moment.name, moment.shape, std::vector<float>(count, moment.start)}
                                    : model::tensor_named(weights, moment.name));
    }
  }

  void write(void* memory, const model::Tensor& tensor) {
    const auto& values = std::get<std::vector<float>>(tensor.values);
    backend_.write(memory, values.data(), std::ssize(values) * kFloat);
  }

  void check(const Batch& batch) const {
    const auto are = [this](const auto& values, std::int64_t count) { return std::ssize(values) == shards_ * count; };
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
        batch.x.size(), batch.x_int.size(), batch.y_float.size(), batch.y_int.size(), shards_ * program_.x_count,
        shards_ * program_.x_int_count, shards_ * program_.y_float_count, shards_ * program_.y_int_count,
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
  std::unique_ptr<Step> step_;
  std::int64_t shards_ = 1;  ///< in a batch; the program counts the elements of one
  mutable PlanInfo plan_;
  Inputs inputs_;  ///< the last step had them
  std::int64_t steps_ = 0;
  double graphs_before_seconds_ = 0;  ///< sessions before this one took so long
  bool has_batch_ = false;
  void* step_state_ = nullptr;  ///< null where nothing is trained
};

}  // namespace

std::unique_ptr<Session> make_session(const model::Model& model, const std::vector<model::Tensor>& weights,
                                      const Settings& settings, Backend& backend) {
  auto session = std::make_unique<ProgramSession>(model, settings, backend);
  session->load(weights);
  return session;
}

}  // namespace regatta::engine
