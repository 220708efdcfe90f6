#include "engine/run/step.hpp"

#include "engine/run/optimizer_state.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine {

namespace {

class WholeStep final : public Step {
 public:
  explicit WholeStep(const StepContext& context)
      : Step(context), results_(context), executor_(context.executor_of(context.program, context.settings)) {
    if (context.settings.work != Work::train || context.settings.accumulate == 1) return;
    accumulating_program_ = without_update(context.program);
    accumulating_executor_ = context.executor_of(accumulating_program_, context.settings);
  }

  void run(const Inputs& inputs, bool updates) override {
    (updates || accumulating_executor_ == nullptr ? executor_ : accumulating_executor_)->run(inputs);
  }

  [[nodiscard]] float mean_loss() const override { return results_.mean_loss(); }
  [[nodiscard]] std::span<const float> sample_losses() const override { return results_.sample_losses(); }
  [[nodiscard]] std::span<const float> output() const override { return results_.output(); }

  [[nodiscard]] std::int64_t temporary_bytes() const override { return executor_->temporary_bytes(); }
  [[nodiscard]] std::int64_t calls() const override { return executor_->calls(); }

 private:
  StoredResults results_;
  std::unique_ptr<Executor> executor_;
  Program accumulating_program_;                     ///< for training steps that make no update
  std::unique_ptr<Executor> accumulating_executor_;  ///< null if every step updates, or none does
};

}  // namespace

void* StepContext::find(Role role) const {
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    if (program.buffers[i].role == role && program.buffers[i].offset == 0) return storage.addresses()[i];
  }
  return nullptr;
}

std::unique_ptr<Executor> StepContext::executor_of(const Program& part, const Settings& part_settings) const {
  return make_executor({part, storage.addresses(), backend, part_settings});
}

std::vector<model::Tensor> Step::optimizer_state(std::int64_t steps) const {
  return state_tensors(context_.program, context_.storage.addresses(), context_.backend, steps);
}

void Step::restore_optimizer(const StepState& step_state, const std::vector<model::Tensor>& state) {
  write_state(context_.program, context_.storage.addresses(), context_.backend, step_state, state);
}

void Step::join(exchange::Communicator& /*communicator*/, double /*patience_seconds*/) {
  expect(false, "a session of several ranks joins the others");
}

void Step::join(DeviceGroup& /*group*/) { expect(false, "a session of several ranks on devices joins the others"); }

double Step::exposed_exchange_seconds() const { return context_.backend.exposed_exchange_seconds(); }

StoredResults::StoredResults(const StepContext& context)
    : context_(context),
      mean_loss_(context.find(Role::mean_loss)),
      sample_losses_(context.find(Role::sample_losses)),
      output_(context.find(Role::output)) {}

float StoredResults::mean_loss() const { return mean_loss_ == nullptr ? 0 : view(mean_loss_, 1)[0]; }

std::span<const float> StoredResults::sample_losses() const {
  if (sample_losses_ == nullptr) return {};
  return view(sample_losses_, context_.program.sample_loss_count);
}

std::span<const float> StoredResults::output() const {
  if (output_ == nullptr) return {};
  return view(output_, context_.program.output_count);
}

std::span<const float> StoredResults::view(const void* memory, std::int64_t count) const {
  const void* const values = context_.backend.host_view(memory, count * std::int64_t{sizeof(float)});
  return {static_cast<const float*>(values), static_cast<std::size_t>(count)};
}

std::unique_ptr<Step> make_whole_step(const StepContext& context) { return std::make_unique<WholeStep>(context); }

}  // namespace regatta::engine
