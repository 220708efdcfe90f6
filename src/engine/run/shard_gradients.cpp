#include "engine/run/shard_gradients.hpp"

#include <utility>

#include "regatta/base/error.hpp"

namespace regatta::engine {

namespace {

constexpr std::int64_t kFloat = sizeof(float);

}  // namespace

ShardGradients::ShardGradients(const StepContext& context, Program program)
    : context_(context),
      program_(std::move(program)),
      settings_(shard_settings(context.settings)),
      shards_(static_cast<std::size_t>(context.settings.shards)),
      floats_(floats_of(program_.flat_bytes)),
      flat_(static_cast<float*>(context.find(Role::gradient))),
      step_state_(static_cast<std::byte*>(context.find(Role::step_state))),
      sums_(floats_, shards_),
      packed_(context.backend) {
  expect(settings_.gradient_ready == nullptr, "this step is the listener to gradients of several shards");
  if (settings_.ranks > 1 || !program_.statistics.empty())
    settings_.gradient_ready = [this](std::span<float> range) { completed(range); };
  if (float* const place = sums_.place_of_even_leaves(); place != nullptr && flat_ != nullptr)
    even_addresses_ = context.with_gradients([&](std::size_t begin) { return place + begin; });
  make_executors();
}

void ShardGradients::make_executors() {
  if (program_.statistics.empty()) {
    executor_ = make_executor_on(context_.storage.addresses());
    if (!even_addresses_.empty()) even_executor_ = make_executor_on(even_addresses_);
    return;
  }
  std::vector<std::vector<void*>> addresses;
  for (std::size_t shard = 0; shard < shards_; ++shard)
    addresses.push_back(is_even(shard) ? even_addresses_ : context_.storage.addresses());
  together_.emplace(program_, std::move(addresses),
                    [this](const std::vector<void*>& of_shard) { return make_executor_on(of_shard); });
}

/// A lone shard's weights are packed right before they are read.
std::unique_ptr<Executor> ShardGradients::make_executor_on(const std::vector<void*>& addresses) {
  return make_executor({program_, addresses, context_.backend, settings_, shards_ > 1 ? &packed_ : nullptr});
}

std::size_t ShardGradients::run(std::size_t shard, const Inputs& inputs, std::size_t begin, bool is_last_part) {
  running_ = {shard, is_even(shard) ? sums_.place_of_even_leaves() : flat_, begin};
  const Inputs own = begin_shard(shard, inputs);
  if (together_) {
    together_->run(shard, own);
  } else {
    (is_even(shard) ? even_executor_ : executor_)->run(own);
  }
  if (is_last_part && running_.written < floats_)
    completed({running_.leaf + running_.written, running_.leaf + floats_});
  return running_.written;
}

/// Tells the step which samples come, and returns where they are.
Inputs ShardGradients::begin_shard(std::size_t shard, const Inputs& inputs) {
  const auto place = static_cast<std::int64_t>(shard);
  const std::int64_t first_sample = place * settings_.batch;
  if (step_state_ != nullptr)
    context_.backend.write(step_state_ + offsetof(StepState, first_sample), &first_sample, sizeof first_sample);
  const std::int64_t x_bytes = (program_.x_count + program_.x_int_count) * kFloat;  // one of them is 0
  const std::int64_t y_bytes = (program_.y_float_count + program_.y_int_count) * kFloat;
  return {static_cast<char*>(inputs.x) + place * x_bytes, static_cast<char*>(inputs.y) + place * y_bytes};
}

/// Adds the next range of the arena, which backward has written: whole tensors, and the zeros behind them. The sums of
/// the last shard go to where the other ranks read them.
void ShardGradients::completed(std::span<const float> range) {
  const std::size_t begin = std::exchange(running_.written, running_.written + range.size());
  const auto& [shard, leaf, end] = running_;
  if (shard + 1 == shards_ && exchange_ != nullptr) return exchange_->give_gradients(sums_, shard, leaf, end);
  sums_.take(shard, leaf, begin, end, flat_ + begin);
}

std::int64_t ShardGradients::temporary_bytes() const {
  const std::int64_t even_bytes = even_executor_ ? even_executor_->temporary_bytes() : 0;
  return packed_.bytes() + even_bytes + (together_ ? together_->temporary_bytes() : executor_->temporary_bytes());
}

std::int64_t ShardGradients::calls() const {
  return packed_.calls() + (together_ ? together_->calls() : executor_->calls());
}

}  // namespace regatta::engine
