#include "engine/run/rank_exchange.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/run/optimizer_slices.hpp"
#include "engine/run/step.hpp"
#include "regatta/base/error.hpp"
#include "regatta/engine/session.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::engine {

namespace {

/// Moving moments over the whole batch move alike in each rank, so nothing of them is exchanged.
bool exchanges_moments(const Program& program) { return !program.moving_moments.empty() && program.statistics.empty(); }

/// How many moments the optimizer keeps of each parameter: none, momentum, or Adam's two.
std::size_t moments_of_optimizer(const Program& program) {
  if (program.parameters.empty()) return 0;
  const ParameterBuffers& parameter = program.parameters.front();
  return (parameter.first_moment != kNoBuffer ? 1U : 0U) + (parameter.second_moment != kNoBuffer ? 1U : 0U);
}

}  // namespace

exchange::Arena arena_of(const Program& program, const Settings& settings) {
  const auto elements = [&](BufferIndex buffer) {
    return floats_of(program.buffers[static_cast<std::size_t>(buffer)].bytes);
  };
  std::vector<std::size_t> tensors;
  for (const BatchStatistic& statistic : program.statistics)
    tensors.push_back(statistic.sums.size() * static_cast<std::size_t>(statistic.columns));
  for (auto parameter = program.parameters.rbegin(); parameter != program.parameters.rend(); ++parameter)
    tensors.push_back(elements(parameter->gradient));
  if (exchanges_moments(program)) {
    std::size_t moments = 0;
    for (const MovingMoment& moment : program.moving_moments)
      moments += static_cast<std::size_t>(model::element_count(moment.shape));
    tensors.push_back(moments);
  }
  tensors.push_back(1);  // the loss
  exchange::Arena arena = exchange::make_arena(tensors, settings.buckets, static_cast<std::size_t>(settings.ranks),
                                               program.statistics.size());
  if (!is_optimizer_sharded(settings)) return arena;
  arena.states = 1;
  if (settings.moving_moments) arena.states += moments_of_optimizer(program);
  return arena;
}

exchange::Arena exchange_arena(const model::Model& model, const Settings& settings) {
  return arena_of(lower(model, settings), settings);
}

RankExchange::RankExchange(const Program& program, exchange::Communicator& communicator, double patience_seconds)
    : communicator_(communicator),
      patience_seconds_(patience_seconds),
      arena_(communicator.arena()),
      arrivals_(arena_.buckets.size(), arena_.ranks),
      ready_ns_(arena_.ranks) {
  for (auto parameter = program.parameters.rbegin(); parameter != program.parameters.rend(); ++parameter) {
    const BufferSpec& spec = program.buffers[static_cast<std::size_t>(parameter->gradient)];
    gradients_.push_back({floats_of(spec.offset), floats_of(spec.bytes)});
  }
  const auto awaited = static_cast<std::ptrdiff_t>(arena_.awaited);
  expect(arena_.awaited == program.statistics.size(), "a communicator has a bucket for each sum over the batch");
  expect(std::ssize(arena_.tensors) == awaited + std::ssize(gradients_) + (exchanges_moments(program) ? 2 : 1),
         "ranks join by exchange_arena()");
  arena_.tensors.erase(arena_.tensors.begin(), arena_.tensors.begin() + awaited);
  arena_.bucket_of.erase(arena_.bucket_of.begin(), arena_.bucket_of.begin() + awaited);
}

void RankExchange::begin_step() {
  next_gradient_ = 0;
  next_bucket_ = arena_.bucket_of.front();
}

void RankExchange::give_gradients(exchange::LeafSum& sums, std::size_t last_shard, const float* leaf, std::size_t end) {
  for (; next_gradient_ < gradients_.size() && gradients_[next_gradient_].begin < end; ++next_gradient_) {
    const auto& [begin, count] = gradients_[next_gradient_];
    sums.take(last_shard, leaf, begin, begin + count, own(next_gradient_));
    tell_if_ready(next_gradient_);
  }
}

void RankExchange::give_moments(std::span<const float> sums) {
  const std::size_t tensor = gradients_.size();
  std::ranges::copy(sums, own(tensor));
  tell_if_ready(tensor);
}

void RankExchange::give_loss(float sum) {
  *own(arena_.tensors.size() - 1) = sum;
  communicator_.ready(arena_.bucket_of.back());
}

/// The tensor, which another one follows, may be the last one of its bucket.
void RankExchange::tell_if_ready(std::size_t tensor) {
  const std::size_t bucket = arena_.bucket_of[tensor];
  if (arena_.bucket_of[tensor + 1] != bucket) communicator_.ready(bucket);
}

const float* RankExchange::given_gradient(std::size_t begin) const { return own(tensor_of(begin)); }

void RankExchange::sum_statistic(StatisticSums& statistics, std::size_t statistic) {
  expose([&] {
    statistics.exchange(statistic, communicator_, patience_seconds_);
    note_arrival(statistic);  // each statistic is a bucket, and these are the first buckets
  });
}

void RankExchange::take_gradients(float* flat) {
  for (std::size_t tensor = 0; tensor < gradients_.size(); ++tensor)
    std::copy_n(wait_for(tensor), gradients_[tensor].count, flat + gradients_[tensor].begin);
}

/// The communicator shows sums to readers alone, but operands of executors are never const.
float* RankExchange::sum_of_gradient(std::size_t begin) const { return const_cast<float*>(sum(tensor_of(begin))); }

void RankExchange::copy_gradients(float* flat) const {
  for (std::size_t tensor = 0; tensor < gradients_.size(); ++tensor)
    std::copy_n(sum(tensor), gradients_[tensor].count, flat + gradients_[tensor].begin);
}

exchange::Arrivals RankExchange::take_arrivals() {
  return std::exchange(arrivals_, exchange::Arrivals(arrivals_.buckets().size(), ranks()));
}

std::size_t RankExchange::tensor_of(std::size_t begin) const {
  const auto found = std::ranges::find(gradients_, begin, &Gradient::begin);
  return static_cast<std::size_t>(found - gradients_.begin());
}

/// Waits for all buckets up to that of the tensor.
const float* RankExchange::wait_for(std::size_t tensor) {
  for (; next_bucket_ <= arena_.bucket_of[tensor]; ++next_bucket_) {
    communicator_.wait(next_bucket_, patience_seconds_);
    note_arrival(next_bucket_);
  }
  return sum(tensor);
}

void RankExchange::note_arrival(std::size_t bucket) {
  const std::optional<exchange::Arrival> arrival = communicator_.arrival(bucket, ready_ns_);
  arrivals_.add(bucket, arrival, ready_ns_);
}

}  // namespace regatta::engine
