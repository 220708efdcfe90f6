#include "engine/run/sharded_step.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine {

namespace {

constexpr std::int64_t kFloat = sizeof(float);

std::size_t floats_of(std::int64_t bytes) { return static_cast<std::size_t>(bytes / kFloat); }

std::vector<std::span<float>> moments_in(const Program& program, const Storage& storage) {
  std::vector<std::span<float>> moments;
  if (!program.statistics.empty()) return moments;  // these move as the batch's do
  for (const MovingMoment& moment : program.moving_moments) {
    const auto at = static_cast<std::size_t>(moment.value);
    moments.emplace_back(static_cast<float*>(storage.addresses()[at]), floats_of(program.buffers[at].bytes));
  }
  return moments;
}

std::size_t total(const std::vector<std::span<float>>& parts) {
  std::size_t count = 0;
  for (const std::span<float> part : parts) count += part.size();
  return count;
}

void gather(const std::vector<std::span<float>>& parts, std::vector<float>& into) {
  auto to = into.begin();
  for (const std::span<float> part : parts) to = std::ranges::copy(part, to).out;
}

}  // namespace

ShardedStep::ShardedStep(const Program& program, const Storage& storage, Backend& backend, const Settings& settings,
                         const MakeExecutor& make_executor, OptimizerSlices* slices)
    : program_(program),
      storage_(storage),
      backend_(backend),
      settings_(shard_settings(settings)),
      shards_(static_cast<std::size_t>(settings.shards)),
      ranks_(static_cast<std::size_t>(settings.ranks)),
      parts_(parts_of(program)),
      floats_(floats_of(program.flat_bytes)),
      sums_(floats_, shards_),
      loss_sum_(1, shards_),
      moments_(moments_in(program, storage)),
      moments_before_(total(moments_)),
      moments_after_(moments_before_.size()),
      moment_sums_(moments_before_.size(), shards_),
      make_executor_(make_executor),
      packed_(backend),
      slices_(slices) {
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
  if (ranks_ > 1 || !program.statistics.empty())
    settings_.gradient_ready = [this](std::span<float> range) { completed(range); };
  const auto executor = [&](const Program& part) {
    return make_executor({part, storage_.addresses(), backend_, settings_});
  };
  if (slices_ != nullptr) std::erase_if(parts_.update.updates, [](const Op& op) { return is_of_parameter(op.spec); });
  count_ = executor(parts_.count);
  if (float* const place = sums_.place_of_even_leaves(); place != nullptr && gradients_ != nullptr)
    even_addresses_ = with_gradients([&](const BufferSpec& buffer) { return place + floats_of(buffer.offset); });
  if (!program.statistics.empty()) {
    go_together();
  } else {
    shard_gradients_ = make_gradients(storage_.addresses());
    if (!even_addresses_.empty()) even_gradients_ = make_gradients(even_addresses_);
  }
  update_ = executor(parts_.update);
  if (settings.accumulate > 1) {
    waiting_parts_ = parts_of(without_update(program));
    waiting_count_ = executor(waiting_parts_->count);
    waiting_update_ = executor(waiting_parts_->update);
  }
  sample_losses_.resize(shards_ * static_cast<std::size_t>(program.sample_loss_count));
  output_.resize(shards_ * static_cast<std::size_t>(program.output_count));
}

void ShardedStep::join(exchange::Communicator& communicator, double patience_seconds) {
  arena_ = communicator.arena();
  const auto awaited = static_cast<std::ptrdiff_t>(arena_.awaited);
  expect(arena_.ranks == ranks_, "a communicator has the ranks of its session");
  expect(arena_.awaited == program_.statistics.size(), "a communicator has a bucket for each sum over the batch");
  expect(std::ssize(arena_.tensors) == awaited + std::ssize(tensors_) + (moments_.empty() ? 1 : 2),
         "ranks join by exchange_arena()");
  arena_.tensors.erase(arena_.tensors.begin(), arena_.tensors.begin() + awaited);
  arena_.bucket_of.erase(arena_.bucket_of.begin(), arena_.bucket_of.begin() + awaited);
  communicator_ = &communicator;
  patience_seconds_ = patience_seconds;
  arrivals_ = exchange::Arrivals(arena_.buckets.size(), ranks_);
  ready_ns_.resize(ranks_);
  const bool wants_them_together = settings_.clip_norm > 0 || settings_.accumulate > 1;
  reads_sums_ = !wants_them_together && !tensors_.empty();
  if (slices_ != nullptr)
    slices_->join(communicator, reads_sums_);
  else if (reads_sums_)
    read_sums_in_place();
}

/// The storage's addresses but for those of gradients.
template <class Place>
std::vector<void*> ShardedStep::with_gradients(const Place& place) const {
  std::vector<void*> addresses = storage_.addresses();
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (program_.buffers[i].role == Role::gradient) addresses[i] = place(program_.buffers[i]);
  }
  return addresses;
}

/// An update that takes tensor by tensor needs no copy of the sums.
void ShardedStep::read_sums_in_place() {
  sums_addresses_ = with_gradients([&](const BufferSpec& buffer) {
    const auto tensor = std::ranges::find(tensors_, floats_of(buffer.offset), &Tensor::begin) - tensors_.begin();
    return const_cast<float*>(communicator_->sums().data()) + arena_.tensors[static_cast<std::size_t>(tensor)];
  });
  sums_settings_ = settings_;
  sums_settings_.fusion = settings_.fusion && arena_.bucket_of.front() ==
                                                  arena_.bucket_of.back();  // the next bucket does not lie right behind
  update_ = make_executor_({parts_.update, sums_addresses_, backend_, sums_settings_});
}

void ShardedStep::run(const Inputs& inputs, bool updates) {
  (updates ? count_ : waiting_count_)->run({});
  gather(moments_, moments_before_);
  packed_.pack();
  if (together_) {
    run_together(inputs);
  } else {
    for (std::size_t shard = 0; shard < shards_; ++shard) run_shard(shard, inputs);
  }
  if (communicator_ != nullptr) take_sums();
  (updates ? update_ : waiting_update_)->run({});
  is_clipped_ = true;
  if (updates && slices_ != nullptr) update_slices();
}

void ShardedStep::update_slices() {
  slices_->update();
  is_clipped_ = settings_.clip_norm == 0;
  if (communicator_ == nullptr) return;
  const double begin_seconds = steady_seconds();
  slices_->exchange(patience_seconds_);
  exposed_exchange_seconds_ += steady_seconds() - begin_seconds;
}

const float* ShardedStep::buffer(Role role, const std::vector<void*>& addresses) const {
  for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
    if (program_.buffers[i].role == role) return static_cast<const float*>(addresses[i]);
  }
  throw InternalError("a training step has a loss and an output");
}

void ShardedStep::go_together() {
  statistics_.emplace(program_, storage_, shards_);
  std::vector<std::vector<void*>> addresses;
  for (std::size_t shard = 0; shard < shards_; ++shard)
    addresses.push_back(is_even(shard) ? even_addresses_ : storage_.addresses());
  together_.emplace(program_, std::move(addresses),
                    [this](const std::vector<void*>& of_shard) { return make_gradients(of_shard); });
}

/// A lone shard's weights are packed right before they are read.
std::unique_ptr<Executor> ShardedStep::make_gradients(const std::vector<void*>& addresses) {
  return make_executor_({parts_.gradients, addresses, backend_, settings_, shards_ > 1 ? &packed_ : nullptr});
}

void ShardedStep::run_shard(std::size_t shard, const Inputs& inputs) {
  taken_ = next_ = 0;
  if (shard > 0) put_moments_back();
  const Inputs own = begin_shard(shard, inputs);
  (is_even(shard) ? even_gradients_ : shard_gradients_)->run(own);
  if (taken_ < floats_) completed({leaf_ + taken_, leaf_ + floats_});
  add_moments(shard);
  end_shard(shard, storage_.addresses());
}

/// In each part of the step each shard completes the same range of the arena.
void ShardedStep::run_together(const Inputs& inputs) {
  next_ = 0;
  std::size_t done = 0;  // floats of the arena, by the parts before
  for (std::size_t part = 0; part <= statistics_->count(); ++part) {
    const bool is_last = part == statistics_->count();
    for (std::size_t shard = 0; shard < shards_; ++shard) {
      taken_ = done;
      together_->run(shard, begin_shard(shard, inputs));
      if (is_last && taken_ < floats_) completed({leaf_ + taken_, leaf_ + floats_});
      if (!is_last) statistics_->take(part, shard, [this](std::size_t begin) { return sum_of_gradient(begin); });
    }
    done = taken_;
    if (!is_last) sum_statistic(part);
  }
  for (std::size_t shard = 0; shard < shards_; ++shard) end_shard(shard, together_->addresses(shard));
}

/// Over this rank's shards.
const float* ShardedStep::sum_of_gradient(std::size_t begin) const {
  if (communicator_ == nullptr) return gradients_ + begin;
  const auto tensor = std::ranges::find(tensors_, begin, &Tensor::begin) - tensors_.begin();
  return communicator_->gradients().data() + arena_.tensors[static_cast<std::size_t>(tensor)];
}

void ShardedStep::sum_statistic(std::size_t statistic) {
  if (communicator_ == nullptr) return statistics_->finish(statistic, shards_);
  const double begin_seconds = steady_seconds();
  statistics_->exchange(statistic, *communicator_, patience_seconds_);
  note_arrival(statistic);
  exposed_exchange_seconds_ += steady_seconds() - begin_seconds;
  statistics_->finish(statistic, shards_ * ranks_);
}

/// What the shard reads of the batch.
Inputs ShardedStep::begin_shard(std::size_t shard, const Inputs& inputs) {
  shard_ = shard;
  const auto place = static_cast<std::int64_t>(shard);
  const std::int64_t first_sample = place * settings_.batch;
  if (step_state_ != nullptr)
    backend_.write(static_cast<std::byte*>(step_state_) + offsetof(StepState, first_sample), &first_sample,
                   sizeof first_sample);
  leaf_ = is_even(shard) ? sums_.place_of_even_leaves() : gradients_;
  const std::int64_t x_bytes = (program_.x_count + program_.x_int_count) * kFloat;  // one of them is 0
  const std::int64_t y_bytes = (program_.y_float_count + program_.y_int_count) * kFloat;
  return {static_cast<char*>(inputs.x) + place * x_bytes, static_cast<char*>(inputs.y) + place * y_bytes};
}

void ShardedStep::end_shard(std::size_t shard, const std::vector<void*>& addresses) {
  add_loss(shard, buffer(Role::mean_loss, addresses));
  const auto keep = [&](Role role, std::vector<float>& all) {
    const std::size_t count = all.size() / shards_;
    std::copy_n(buffer(role, addresses), count, all.begin() + static_cast<std::ptrdiff_t>(shard * count));
  };
  keep(Role::sample_losses, sample_losses_);
  keep(Role::output, output_);
}

/// With the last shard the last bucket is ready.
void ShardedStep::add_loss(std::size_t shard, const float* mean_loss) {
  float total = 0;
  loss_sum_.take(shard, mean_loss, 0, 1, &total);
  if (shard + 1 < shards_) return;
  mean_loss_ = total / static_cast<float>(shards_);
  if (communicator_ == nullptr) return;
  communicator_->gradients()[arena_.tensors.back()] = total;
  communicator_->ready(arena_.bucket_of.back());
}

void ShardedStep::put_moments_back() {
  const float* from = moments_before_.data();
  for (const std::span<float> moment : moments_) {
    std::copy_n(from, moment.size(), moment.begin());
    from += moment.size();
  }
}

void ShardedStep::add_moments(std::size_t shard) {
  if (moments_.empty()) return;
  gather(moments_, moments_after_);
  moment_sums_.take(shard, moments_after_.data(), 0, moments_after_.size(), moments_after_.data());
  if (shard + 1 < shards_) return;
  if (communicator_ == nullptr) return move_moments(moments_after_.data());
  const std::size_t tensor = tensors_.size();
  std::ranges::copy(moments_after_, communicator_->gradients().data() + arena_.tensors[tensor]);
  if (arena_.bucket_of[tensor + 1] != arena_.bucket_of[tensor]) communicator_->ready(arena_.bucket_of[tensor]);
}

/// To the mean over the shards of all who summed; their number is a power of two, so nothing is rounded.
void ShardedStep::move_moments(const float* sums) {
  const std::size_t leaves = communicator_ == nullptr ? shards_ : shards_ * ranks_;
  for (const std::span<float> moment : moments_) {
    for (float& value : moment) value = *sums++ / static_cast<float>(leaves);
  }
}

/// Backward has written the next range of the arena: whole tensors, and the zeros behind them.
void ShardedStep::completed(std::span<const float> range) {
  const std::size_t begin = taken_;
  taken_ += range.size();
  if (shard_ + 1 < shards_ || communicator_ == nullptr)
    return sums_.take(shard_, leaf_, begin, taken_, gradients_ + begin);
  hand_over(taken_);
}

/// With the last shard sums go to where the other ranks read them.
void ShardedStep::hand_over(std::size_t end) {
  for (; next_ < tensors_.size() && tensors_[next_].begin < end; ++next_) {
    const auto& [begin, count] = tensors_[next_];
    sums_.take(shard_, leaf_, begin, begin + count, communicator_->gradients().data() + arena_.tensors[next_]);
    if (arena_.bucket_of[next_ + 1] != arena_.bucket_of[next_]) communicator_->ready(arena_.bucket_of[next_]);
  }
}

void ShardedStep::note_arrival(std::size_t bucket) {
  const std::optional<exchange::Arrival> arrival = communicator_->arrival(bucket, ready_ns_);
  arrivals_.add(bucket, arrival, ready_ns_);
}

void ShardedStep::take_sums() {
  const double begin_seconds = steady_seconds();
  std::size_t waited = arena_.bucket_of.front();  // buckets
  const auto wait_for = [&](std::size_t tensor) {
    for (; waited <= arena_.bucket_of[tensor]; ++waited) {
      communicator_->wait(waited, patience_seconds_);
      note_arrival(waited);
    }
    return communicator_->sums().data() + arena_.tensors[tensor];
  };
  if (!reads_sums_) {
    for (std::size_t tensor = 0; tensor < tensors_.size(); ++tensor)
      std::copy_n(wait_for(tensor), tensors_[tensor].count, gradients_ + tensors_[tensor].begin);
  }
  is_in_place_ = !reads_sums_;
  if (!moments_.empty()) move_moments(wait_for(tensors_.size()));
  mean_loss_ = *wait_for(arena_.tensors.size() - 1) / static_cast<float>(shards_ * ranks_);
  exposed_exchange_seconds_ += steady_seconds() - begin_seconds;
}

exchange::Arrivals ShardedStep::take_arrivals() {
  return std::exchange(arrivals_, exchange::Arrivals(arrivals_.buckets().size(), ranks_));
}

void ShardedStep::put_gradients_in_place() const {
  if (!std::exchange(is_clipped_, true)) slices_->clip_others();
  if (std::exchange(is_in_place_, true)) return;
  for (std::size_t tensor = 0; tensor < tensors_.size(); ++tensor)
    std::copy_n(communicator_->sums().data() + arena_.tensors[tensor], tensors_[tensor].count,
                gradients_ + tensors_[tensor].begin);
}

std::int64_t ShardedStep::temporary_bytes() const {
  const std::int64_t even_bytes = even_gradients_ ? even_gradients_->temporary_bytes() : 0;
  const std::int64_t shard_bytes = together_ ? together_->temporary_bytes() : shard_gradients_->temporary_bytes();
  return packed_.bytes() + even_bytes + count_->temporary_bytes() + shard_bytes + update_->temporary_bytes();
}

std::int64_t ShardedStep::calls() const {
  return count_->calls() + packed_.calls() + (together_ ? together_->calls() : shard_gradients_->calls()) +
         update_->calls();
}

}  // namespace regatta::engine
