// A training step in shards, on processors: the gradients of each shard, their sum over all shards of all ranks, one
// update. Moving moments move once in a step, to the mean of where each shard would have moved them. With statistics of
// the whole batch no shard is ahead of another one: all run up to each of those sums.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "engine/run/parameter_update.hpp"
#include "engine/run/rank_exchange.hpp"
#include "engine/run/shard_gradients.hpp"
#include "engine/run/statistic_sums.hpp"
#include "engine/run/step.hpp"
#include "regatta/base/error.hpp"
#include "regatta/exchange/tree.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::engine {

namespace {

std::vector<std::span<float>> moments_in(const StepContext& context) {
  std::vector<std::span<float>> moments;
  if (!context.program.statistics.empty()) return moments;  // these move as the batch's do
  for (const MovingMoment& moment : context.program.moving_moments) {
    void* const both = context.storage.addresses()[static_cast<std::size_t>(moment.buffer)];
    moments.emplace_back(static_cast<float*>(both) + moment.offset,
                         static_cast<std::size_t>(model::element_count(moment.shape)));
  }
  return moments;
}

std::size_t total(const std::vector<std::span<float>>& parts) {
  std::size_t count = 0;
  for (const std::span<float> part : parts) count += part.size();
  return count;
}

/// The moving moments of batch normalization over shards: each shard begins with those before the step, and the step
/// ends with the mean of what the shards end with.
class MovingMoments {
 public:
  MovingMoments(const StepContext& context, std::size_t shards)
      : moments_(moments_in(context)),
        before_(total(moments_)),
        after_(before_.size()),
        sums_(before_.size(), shards) {}

  [[nodiscard]] bool empty() const { return moments_.empty(); }

  /// Remembers the moments before the step.
  void keep() { gather(before_); }

  /// Puts back what was kept, before a shard that is not the first one.
  void put_back() {
    const float* from = before_.data();
    for (const std::span<float> moment : moments_) {
      std::copy_n(from, moment.size(), moment.begin());
      from += moment.size();
    }
  }

  /// Adds the moments after a shard, in the order of the shards.
  void add(std::size_t shard) {
    gather(after_);
    sums_.take(shard, after_.data(), 0, after_.size(), after_.data());
  }

  /// After the last shard: returns the sums over all shards, one moment behind the other.
  [[nodiscard]] std::span<const float> sums() const { return after_; }

  /// Moves the moments to the mean of so many shards. Their number is a power of two, so nothing is rounded.
  void move_to_mean(const float* sums, std::size_t shards) {
    for (const std::span<float> moment : moments_) {
      for (float& value : moment) value = *sums++ / static_cast<float>(shards);
    }
  }

 private:
  void gather(std::vector<float>& into) const {
    auto to = into.begin();
    for (const std::span<float> moment : moments_) to = std::ranges::copy(moment, to).out;
  }

  std::vector<std::span<float>> moments_;  ///< in the storage
  std::vector<float> before_;              ///< the step, one behind the other
  std::vector<float> after_;               ///< a shard, then their sums over shards
  exchange::LeafSum sums_;
};

BufferIndex buffer_of(const Program& program, Role role) {
  const auto found = std::ranges::find(program.buffers, role, &BufferSpec::role);
  expect(found != program.buffers.end(), "a training step has a loss and an output");
  return static_cast<BufferIndex>(found - program.buffers.begin());
}

/// The results of all shards of a step, one shard behind the other.
class ShardResults {
 public:
  ShardResults(const Program& program, std::size_t shards)
      : shards_(shards),
        mean_loss_(buffer_of(program, Role::mean_loss)),
        sample_losses_(buffer_of(program, Role::sample_losses)),
        output_(buffer_of(program, Role::output)),
        loss_sum_(1, shards),
        all_sample_losses_(shards * static_cast<std::size_t>(program.sample_loss_count)),
        all_outputs_(shards * static_cast<std::size_t>(program.output_count)) {}

  /// Adds the mean loss of a shard, in the order of the shards. Returns the sum with the last one, else 0.
  [[nodiscard]] float add_loss(std::size_t shard, const std::vector<void*>& addresses) {
    float sum = 0;
    loss_sum_.take(shard, values(addresses, mean_loss_), 0, 1, &sum);
    return sum;
  }

  /// Keeps the sample losses and the output of a shard.
  void keep(std::size_t shard, const std::vector<void*>& addresses) {
    const auto copy = [&](BufferIndex from, std::vector<float>& all) {
      const std::size_t count = all.size() / shards_;
      std::copy_n(values(addresses, from), count, all.begin() + static_cast<std::ptrdiff_t>(shard * count));
    };
    copy(sample_losses_, all_sample_losses_);
    copy(output_, all_outputs_);
  }

  [[nodiscard]] std::span<const float> sample_losses() const { return all_sample_losses_; }
  [[nodiscard]] std::span<const float> output() const { return all_outputs_; }

 private:
  [[nodiscard]] static const float* values(const std::vector<void*>& addresses, BufferIndex buffer) {
    return static_cast<const float*>(addresses[static_cast<std::size_t>(buffer)]);
  }

  std::size_t shards_;
  BufferIndex mean_loss_, sample_losses_, output_;  ///< where a shard leaves its own
  exchange::LeafSum loss_sum_;
  std::vector<float> all_sample_losses_, all_outputs_;
};

class ShardedStep final : public Step {
 public:
  explicit ShardedStep(const StepContext& context) : ShardedStep(context, parts_of(context.program)) {}

  void join(exchange::Communicator& communicator, double patience_seconds) override {
    expect(communicator.arena().ranks == static_cast<std::size_t>(context_.settings.ranks),
           "a communicator has the ranks of its session");
    exchange_.emplace(context_.program, communicator, patience_seconds);
    gradients_.join(*exchange_);
    update_.join(*exchange_);
  }

  /// Steps that make no update exchange their gradients too, so that what is accumulated has the same bits for any
  /// number of ranks.
  void run(const Inputs& inputs, bool updates) override {
    update_.count(updates);
    moments_.keep();
    gradients_.pack();
    if (exchange_) exchange_->begin_step();
    if (statistics_) {
      run_together(inputs);
    } else {
      run_one_by_one(inputs);
    }
    if (exchange_) take_sums();
    update_.run(updates);
  }

  [[nodiscard]] std::int64_t shards() const override { return static_cast<std::int64_t>(shards_); }
  [[nodiscard]] float mean_loss() const override { return mean_loss_; }
  [[nodiscard]] std::span<const float> sample_losses() const override { return results_.sample_losses(); }
  [[nodiscard]] std::span<const float> output() const override { return results_.output(); }

  void put_gradients_in_place() override {
    update_.clip_all();
    if (!std::exchange(is_in_place_, true)) exchange_->copy_gradients(gradients_.flat());
  }

  [[nodiscard]] std::vector<model::Tensor> optimizer_state(std::int64_t steps) const override {
    return update_.slices() != nullptr ? update_.slices()->state(steps) : Step::optimizer_state(steps);
  }
  void restore_optimizer(const StepState& step_state, const std::vector<model::Tensor>& state) override {
    if (update_.slices() == nullptr) return Step::restore_optimizer(step_state, state);
    update_.slices()->restore(step_state, state);
  }
  void clear_optimizer() override {
    if (update_.slices() != nullptr) update_.slices()->clear();
  }
  [[nodiscard]] std::int64_t optimizer_bytes() const override {
    return update_.slices() != nullptr ? update_.slices()->bytes() : 0;
  }

  [[nodiscard]] double exposed_exchange_seconds() const override {
    return exchange_ ? exchange_->exposed_seconds() : 0;
  }
  exchange::Arrivals take_arrivals() override { return exchange_ ? exchange_->take_arrivals() : exchange::Arrivals(); }

  [[nodiscard]] std::int64_t temporary_bytes() const override {
    return update_.temporary_bytes() + gradients_.temporary_bytes();
  }
  [[nodiscard]] std::int64_t calls() const override { return update_.calls() + gradients_.calls(); }

 private:
  ShardedStep(const StepContext& context, StepParts parts)
      : Step(context),
        shards_(static_cast<std::size_t>(context.settings.shards)),
        update_(context, parts),
        gradients_(context, std::move(parts.gradients)),
        moments_(context, shards_),
        results_(context.program, shards_) {
    if (!context.program.statistics.empty()) statistics_.emplace(context.program, context.storage, shards_);
  }

  [[nodiscard]] bool is_last(std::size_t shard) const { return shard + 1 == shards_; }
  /// Shards whose gradients are summed.
  [[nodiscard]] std::size_t all_shards() const { return exchange_ ? shards_ * exchange_->ranks() : shards_; }

  void run_one_by_one(const Inputs& inputs) {
    for (std::size_t shard = 0; shard < shards_; ++shard) {
      if (shard > 0) moments_.put_back();
      gradients_.run(shard, inputs, 0, true);
      add_moments(shard);
      end_shard(shard);
    }
  }

  /// In each part of the step each shard completes the same range of the arena.
  void run_together(const Inputs& inputs) {
    std::size_t done = 0;  // floats of the arena, by the parts before
    for (std::size_t part = 0; part <= statistics_->count(); ++part) {
      const bool is_last_part = part == statistics_->count();
      std::size_t completed = done;
      for (std::size_t shard = 0; shard < shards_; ++shard) {
        completed = gradients_.run(shard, inputs, done, is_last_part);
        if (is_last_part) continue;
        statistics_->take(part, shard, [this](std::size_t begin) { return gradients_.sum(begin); });
      }
      done = completed;
      if (!is_last_part) sum_statistic(part);
    }
    for (std::size_t shard = 0; shard < shards_; ++shard) end_shard(shard);
  }

  void sum_statistic(std::size_t statistic) {
    if (exchange_) exchange_->sum_statistic(*statistics_, statistic);
    statistics_->finish(statistic, all_shards());
  }

  /// With the last shard the moments move, or their sums go to the other ranks.
  void add_moments(std::size_t shard) {
    if (moments_.empty()) return;
    moments_.add(shard);
    if (!is_last(shard)) return;
    if (!exchange_) return moments_.move_to_mean(moments_.sums().data(), shards_);
    exchange_->give_moments(moments_.sums());
  }

  /// With the last shard the last bucket is ready.
  void end_shard(std::size_t shard) {
    const std::vector<void*>& addresses = gradients_.addresses(shard);
    const float loss = results_.add_loss(shard, addresses);
    if (is_last(shard)) {
      mean_loss_ = loss / static_cast<float>(shards_);
      if (exchange_) exchange_->give_loss(loss);
    }
    results_.keep(shard, addresses);
  }

  void take_sums() {
    exchange_->expose([&] {
      is_in_place_ = !update_.reads_sums();
      if (is_in_place_) exchange_->take_gradients(gradients_.flat());
      if (!moments_.empty()) moments_.move_to_mean(exchange_->moments(), all_shards());
      mean_loss_ = exchange_->loss() / static_cast<float>(all_shards());
    });
  }

  const std::size_t shards_;  ///< this rank has so many
  ParameterUpdate update_;
  ShardGradients gradients_;
  MovingMoments moments_;
  std::optional<StatisticSums> statistics_;  ///< where the program waits for any in the middle of a step
  ShardResults results_;
  float mean_loss_ = 0;
  std::optional<RankExchange> exchange_;  ///< nothing until join(): the step is this rank's own
  bool is_in_place_ = true;               ///< the flat arena has the gradients of the last step
};

}  // namespace

std::unique_ptr<Step> make_sharded_step(const StepContext& context) { return std::make_unique<ShardedStep>(context); }

}  // namespace regatta::engine
