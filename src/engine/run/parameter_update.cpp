#include "engine/run/parameter_update.hpp"

#include <utility>

namespace regatta::engine {

ParameterUpdate::ParameterUpdate(const StepContext& context, const StepParts& parts)
    : context_(context), settings_(shard_settings(context.settings)), updating_{parts.count, parts.update, {}, {}} {
  if (is_optimizer_sharded(context.settings)) {
    slices_.emplace(context, arena_of(context.program, context.settings));
    std::erase_if(updating_.update.updates, [](const Op& op) { return is_of_parameter(op.spec); });
  }
  make_executors(updating_);
  if (settings_.accumulate == 1) return;
  StepParts accumulating = parts_of(without_update(context.program));
  accumulating_ = Operations{std::move(accumulating.count), std::move(accumulating.update), {}, {}};
  make_executors(*accumulating_);
}

void ParameterUpdate::make_executors(Operations& operations) {
  operations.count_executor = context_.executor_of(operations.count, settings_);
  operations.update_executor = context_.executor_of(operations.update, settings_);
}

void ParameterUpdate::join(RankExchange& exchange) {
  exchange_ = &exchange;
  const bool wants_them_together = settings_.clip_norm > 0 || settings_.accumulate > 1;
  reads_sums_ = !wants_them_together && !context_.program.parameters.empty();
  if (slices_) return slices_->join(exchange.communicator(), reads_sums_);
  if (reads_sums_) read_sums_in_place(exchange);
}

/// An update that takes tensor by tensor needs no copy of the sums. It joins tensors only within one bucket, because
/// the next bucket does not lie right behind.
void ParameterUpdate::read_sums_in_place(RankExchange& exchange) {
  sums_addresses_ = context_.with_gradients([&](std::size_t begin) { return exchange.sum_of_gradient(begin); });
  sums_settings_ = settings_;
  sums_settings_.fusion = settings_.fusion && exchange.has_one_bucket();
  updating_.update_executor = make_executor({updating_.update, sums_addresses_, context_.backend, sums_settings_});
}

void ParameterUpdate::count(bool updates) { operations(updates).count_executor->run({}); }

void ParameterUpdate::run(bool updates) {
  operations(updates).update_executor->run({});
  is_clipped_ = true;
  if (!updates || !slices_) return;
  slices_->update();
  is_clipped_ = settings_.clip_norm == 0;
  if (exchange_ != nullptr) exchange_->expose([&] { slices_->exchange(exchange_->patience_seconds()); });
}

void ParameterUpdate::clip_all() {
  if (!std::exchange(is_clipped_, true)) slices_->clip_others();
}

std::int64_t ParameterUpdate::temporary_bytes() const {
  return updating_.count_executor->temporary_bytes() + updating_.update_executor->temporary_bytes();
}

std::int64_t ParameterUpdate::calls() const {
  return updating_.count_executor->calls() + updating_.update_executor->calls();
}

}  // namespace regatta::engine
