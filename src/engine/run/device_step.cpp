#include "engine/run/device_step.hpp"

#include <cstddef>

#include "engine/ir/builder.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine {

namespace {

constexpr std::int64_t kFloat = sizeof(float);

}  // namespace

DeviceStep::DeviceStep(const Program& program, const Storage& storage, Backend& backend, const Settings& settings,
                       const MakeExecutor& make_executor)
    : program_(program), storage_(storage), backend_(backend), settings_(settings), parts_(parts_of(program)) {
  expect(settings.gradient_ready == nullptr, "who listens to gradients of several ranks is this step");
  cut();
  settings_.gradient_ready = [this](std::span<float> range) { completed(range); };
  const auto executor = [&](const Program& part) {
    return make_executor({part, storage_.addresses(), backend_, settings_});
  };
  count_ = executor(parts_.count);
  own_gradients_ = executor(parts_.gradients);
  update_ = executor(parts_.update);
}

/// Buckets of whole tensors with the padding behind them, which is zeros.
void DeviceStep::cut() {
  expect(!program_.parameters.empty(), "a step of several ranks has gradients");
  std::vector<std::size_t> elements;
  for (auto parameter = program_.parameters.rbegin(); parameter != program_.parameters.rend(); ++parameter) {
    const BufferSpec& spec = program_.buffers[static_cast<std::size_t>(parameter->gradient)];
    elements.push_back(static_cast<std::size_t>(aligned(spec.bytes) / kFloat));
  }
  const exchange::Arena arena =
      exchange::make_arena(elements, settings_.buckets, static_cast<std::size_t>(settings_.ranks));
  std::int64_t end = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    end += static_cast<std::int64_t>(elements[i]);
    const bool is_last = i + 1 == elements.size() || arena.bucket_of[i + 1] != arena.bucket_of[i];
    if (is_last) ends_.push_back(end);
  }
  expect(end * kFloat == program_.flat_bytes, "the buckets are the flat arena");
  for (const std::int64_t floats : ends_) settings_.gradient_cuts.push_back(floats * kFloat);
  for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
    auto* const memory = static_cast<float*>(storage_.addresses()[i]);
    if (program_.buffers[i].role == Role::mean_loss) mean_loss_ = memory;
  }
  const auto first = static_cast<std::size_t>(program_.parameters.back().gradient);  // at offset 0
  gradients_ = static_cast<float*>(storage_.addresses()[first]);
}

void DeviceStep::join(DeviceGroup& group) {
  if (!program_.moving_moments.empty()) {
    throw InputError(
        "moving moments of batch normalization are not exchanged between ranks yet (each would evaluate with others); "
        "train with one rank");
  }
  backend_.join(group);
  is_joined_ = true;
}

void DeviceStep::run(const Inputs& inputs) {
  written_ = 0;
  next_ = 0;
  count_->run({});
  own_gradients_->run(inputs);
  if (is_joined_) {
    expect(next_ == ends_.size(), "backward has written all gradients");
    backend_.await_sums();
  }
  update_->run({});
}

/// Backward has written the next range of the arena.
void DeviceStep::completed(std::span<const float> range) {
  written_ += std::ssize(range);
  if (!is_joined_) return;
  if (next_ == 0) backend_.sum_over_ranks(mean_loss_, 1);  // beside backward, which comes behind the loss
  for (; next_ < ends_.size() && ends_[next_] <= written_; ++next_) {
    const std::int64_t begin = next_ == 0 ? 0 : ends_[next_ - 1];
    backend_.sum_over_ranks(gradients_ + begin, ends_[next_] - begin);
  }
}

std::int64_t DeviceStep::temporary_bytes() const {
  return count_->temporary_bytes() + own_gradients_->temporary_bytes() + update_->temporary_bytes();
}

std::int64_t DeviceStep::calls() const { return count_->calls() + own_gradients_->calls() + update_->calls(); }

}  // namespace regatta::engine
