// A training step of one of several ranks on devices: the gradients of its part of the batch, their sums over all ranks
// bucket by bucket while backward goes on, and the update.
#include <cstddef>

#include "engine/ir/ir.hpp"
#include "engine/run/step.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine {

namespace {

constexpr std::int64_t kFloat = sizeof(float);

class DeviceStep final : public Step {
 public:
  explicit DeviceStep(const StepContext& context)
      : Step(context),
        settings_(context.settings),
        parts_(parts_of(context.program)),
        results_(context),
        gradients_(static_cast<float*>(context.find(Role::gradient))),
        mean_loss_(static_cast<float*>(context.find(Role::mean_loss))) {
    expect(settings_.gradient_ready == nullptr, "this step is the listener to gradients of several ranks");
    cut_into_buckets();
    settings_.gradient_ready = [this](std::span<float> range) { completed(range); };
    count_ = context.executor_of(parts_.count, settings_);
    own_gradients_ = context.executor_of(parts_.gradients, settings_);
    update_ = context.executor_of(parts_.update, settings_);
  }

  void join(DeviceGroup& group) override {
    if (!context_.program.moving_moments.empty()) {
      throw InputError(
          "moving moments of batch normalization are not exchanged between ranks yet (each would evaluate with "
          "others); train with one rank");
    }
    context_.backend.join(group);
    is_joined_ = true;
  }

  /// Every step updates, because ranks on devices accumulate no gradients.
  void run(const Inputs& inputs, bool /*updates*/) override {
    written_ = 0;
    next_ = 0;
    count_->run({});
    own_gradients_->run(inputs);
    if (is_joined_) {
      expect(next_ == ends_.size(), "backward has written all gradients");
      context_.backend.await_sums();
    }
    update_->run({});
  }

  /// The device has the sum of all ranks' mean losses.
  [[nodiscard]] float mean_loss() const override {
    return results_.mean_loss() * (is_joined_ ? 1.0F / static_cast<float>(settings_.ranks) : 1.0F);
  }
  [[nodiscard]] std::span<const float> sample_losses() const override { return results_.sample_losses(); }
  [[nodiscard]] std::span<const float> output() const override { return results_.output(); }

  [[nodiscard]] std::int64_t temporary_bytes() const override {
    return count_->temporary_bytes() + own_gradients_->temporary_bytes() + update_->temporary_bytes();
  }
  [[nodiscard]] std::int64_t calls() const override {
    return count_->calls() + own_gradients_->calls() + update_->calls();
  }

 private:
  /// Each bucket holds whole tensors with the padding behind them, which is zeros.
  void cut_into_buckets() {
    const Program& program = context_.program;
    expect(!program.parameters.empty(), "a step of several ranks has gradients");
    std::vector<std::size_t> elements;
    for (auto parameter = program.parameters.rbegin(); parameter != program.parameters.rend(); ++parameter) {
      const BufferSpec& spec = program.buffers[static_cast<std::size_t>(parameter->gradient)];
      elements.push_back(floats_of(aligned(spec.bytes)));
    }
    const exchange::Arena arena =
        exchange::make_arena(elements, settings_.buckets, static_cast<std::size_t>(settings_.ranks));
    std::int64_t end = 0;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      end += static_cast<std::int64_t>(elements[i]);
      const bool is_last = i + 1 == elements.size() || arena.bucket_of[i + 1] != arena.bucket_of[i];
      if (is_last) ends_.push_back(end);
    }
    expect(end * kFloat == program.flat_bytes, "the buckets are the flat arena");
    for (const std::int64_t floats : ends_) settings_.gradient_cuts.push_back(floats * kFloat);
  }

  /// Starts the sums of the buckets that are complete, now that backward has written the next range of the arena.
  void completed(std::span<const float> range) {
    written_ += std::ssize(range);
    if (!is_joined_) return;
    Backend& backend = context_.backend;
    if (next_ == 0) backend.sum_over_ranks(mean_loss_, 1);  // beside backward, which comes behind the loss
    for (; next_ < ends_.size() && ends_[next_] <= written_; ++next_) {
      const std::int64_t begin = next_ == 0 ? 0 : ends_[next_ - 1];
      backend.sum_over_ranks(gradients_ + begin, ends_[next_] - begin);
    }
  }

  Settings settings_;  ///< the session's, with this step as the listener to gradients
  StepParts parts_;
  StoredResults results_;
  std::vector<std::int64_t> ends_;  ///< floats of the flat arena at which buckets end
  float* gradients_;                ///< the flat arena
  float* mean_loss_;
  std::unique_ptr<Executor> count_, own_gradients_, update_;
  bool is_joined_ = false;
  std::int64_t written_ = 0;  ///< floats of the arena, by this step's backward pass
  std::size_t next_ = 0;      ///< bucket to be summed next
};

}  // namespace

std::unique_ptr<Step> make_device_step(const StepContext& context) { return std::make_unique<DeviceStep>(context); }

}  // namespace regatta::engine
