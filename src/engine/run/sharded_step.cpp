#include "engine/run/sharded_step.hpp"

#include <algorithm>
#include <cstddef>

#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine {

namespace {

constexpr std::int64_t kFloat = sizeof(float);

std::size_t floats_of(std::int64_t bytes) { return static_cast<std::size_t>(bytes / kFloat); }

}  // namespace

ShardedStep::ShardedStep(const Program& program, const Storage& storage, Backend& backend, const Settings& settings,
                         const MakeExecutor& make_executor)
    : program_(program),
      storage_(storage),
      backend_(backend),
      settings_(shard_settings(settings)),
      shards_(static_cast<std::size_t>(settings.shards)),
      ranks_(static_cast<std::size_t>(settings.ranks)),
      parts_(parts_of(program)),
      floats_(floats_of(program.flat_bytes)),
      sums_(floats_, shards_),
      loss_sum_(1, shards_) {
  expect(settings.gradient_ready == nullptr, "who listens to gradients of several shards is this step");
  for (auto parameter = program.parameters.rbegin(); parameter != program.parameters.rend(); ++parameter) {
    const BufferSpec& spec = program.buffers[static_cast<std::size_t>(parameter->gradient)];
    tensors_.push_back({floats_of(spec.offset), floats_of(spec.bytes)});
  }
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    if (program.buffers[i].role == Role::step_state) step_state_ = storage.addresses()[i];
  }
  if (!program.parameters.empty()) {
    const auto first = static_cast<std::size_t>(program.parameters.back().gradient);  // at offset 0
    gradients_ = static_cast<float*>(storage.addresses()[first]);
  }
  if (ranks_ > 1) settings_.gradient_ready = [this](std::span<float> range) { completed(range); };
  const auto executor = [&](const Program& part) { return make_executor({part, storage_, backend_, settings_}); };
  count_ = executor(parts_.count);
  shard_gradients_ = executor(parts_.gradients);
  update_ = executor(parts_.update);
  sample_losses_.resize(shards_ * static_cast<std::size_t>(program.sample_loss_count));
  output_.resize(shards_ * static_cast<std::size_t>(program.output_count));
}

void ShardedStep::join(exchange::Communicator& communicator, double patience_seconds) {
  const exchange::Arena& arena = communicator.arena();
  expect(arena.ranks == ranks_, "a communicator has the ranks of its session");
  expect(arena.tensors.size() == tensors_.size() + 1, "an arena holds exchanged_tensors()");
  if (!program_.moving_moments.empty()) {
    throw InputError(
        "moving moments of batch normalization are not exchanged between ranks yet (each would evaluate with others); "
        "train with one rank");
  }
  communicator_ = &communicator;
  patience_seconds_ = patience_seconds;
}

void ShardedStep::run(const Inputs& inputs) {
  count_->run({});
  for (std::size_t shard = 0; shard < shards_; ++shard) run_shard(shard, inputs);
  if (communicator_ != nullptr) take_sums();
  update_->run({});
}

const float* ShardedStep::buffer(Role role) const {
  for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
    if (program_.buffers[i].role == role) return static_cast<const float*>(storage_.addresses()[i]);
  }
  throw InternalError("a training step has a loss and an output");
}

void ShardedStep::run_shard(std::size_t shard, const Inputs& inputs) {
  shard_ = shard;
  taken_ = next_ = 0;
  const auto place = static_cast<std::int64_t>(shard);
  const std::int64_t first_sample = place * settings_.batch;
  if (step_state_ != nullptr)
    backend_.write(static_cast<std::byte*>(step_state_) + offsetof(StepState, first_sample), &first_sample,
                   sizeof first_sample);
  const std::int64_t x_bytes = (program_.x_count + program_.x_int_count) * kFloat;  // one of them is 0
  const std::int64_t y_bytes = (program_.y_float_count + program_.y_int_count) * kFloat;
  shard_gradients_->run(
      {static_cast<char*>(inputs.x) + place * x_bytes, static_cast<char*>(inputs.y) + place * y_bytes});
  const bool is_last = shard + 1 == shards_;
  if (taken_ < floats_) completed({gradients_ + taken_, gradients_ + floats_});
  float total = 0;
  loss_sum_.take(shard, buffer(Role::mean_loss), 0, 1, &total);
  if (is_last) mean_loss_ = total / static_cast<float>(shards_);
  if (is_last && communicator_ != nullptr) {
    communicator_->gradients()[communicator_->arena().tensors.back()] = total;
    communicator_->ready(communicator_->arena().bucket_of.back());
  }
  const auto keep = [&](Role role, std::vector<float>& all) {
    const std::size_t count = all.size() / shards_;
    std::copy_n(buffer(role), count, all.begin() + static_cast<std::ptrdiff_t>(shard * count));
  };
  keep(Role::sample_losses, sample_losses_);
  keep(Role::output, output_);
}

/// Backward has written the next range of the arena: whole tensors, and the zeros behind them.
void ShardedStep::completed(std::span<const float> range) {
  const std::size_t begin = taken_;
  taken_ += range.size();
  if (shard_ + 1 < shards_ || communicator_ == nullptr)
    return sums_.take(shard_, gradients_, begin, taken_, gradients_ + begin);
  hand_over(taken_);
}

/// With the last shard sums go to where the other ranks read them.
void ShardedStep::hand_over(std::size_t end) {
  const exchange::Arena& arena = communicator_->arena();
  for (; next_ < tensors_.size() && tensors_[next_].begin < end; ++next_) {
    const auto& [begin, count] = tensors_[next_];
    sums_.take(shard_, gradients_, begin, begin + count, communicator_->gradients().data() + arena.tensors[next_]);
    if (arena.bucket_of[next_ + 1] != arena.bucket_of[next_]) communicator_->ready(arena.bucket_of[next_]);
  }
}

void ShardedStep::take_sums() {
  const double begin_seconds = steady_seconds();
  const exchange::Arena& arena = communicator_->arena();
  std::size_t waited = 0;  // buckets
  const auto wait_for = [&](std::size_t tensor) {
    for (; waited <= arena.bucket_of[tensor]; ++waited) communicator_->wait(waited, patience_seconds_);
    return communicator_->sums().data() + arena.tensors[tensor];
  };
  for (std::size_t tensor = 0; tensor < tensors_.size(); ++tensor)
    std::copy_n(wait_for(tensor), tensors_[tensor].count, gradients_ + tensors_[tensor].begin);
  mean_loss_ = *wait_for(tensors_.size()) / static_cast<float>(shards_ * ranks_);
  exposed_exchange_seconds_ += steady_seconds() - begin_seconds;
}

std::int64_t ShardedStep::temporary_bytes() const {
  return count_->temporary_bytes() + shard_gradients_->temporary_bytes() + update_->temporary_bytes();
}

std::int64_t ShardedStep::calls() const { return count_->calls() + shard_gradients_->calls() + update_->calls(); }

}  // namespace regatta::engine
