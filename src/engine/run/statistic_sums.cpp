#include "engine/run/statistic_sums.hpp"

#include <algorithm>
#include <cmath>

#include "engine/run/optimizer_state.hpp"

namespace regatta::engine {

namespace {

constexpr std::int64_t kFloat = sizeof(float);

std::size_t elements_of(const BatchStatistic& statistic) {
  return statistic.sums.size() * static_cast<std::size_t>(statistic.columns);
}

/// As kernels do for a batch that is not cut: in the same order and roundings.
void move(float* moving, const float* batch, std::int64_t columns, float share) {
  for (std::int64_t j = 0; j < columns; ++j) moving[j] = (1.0F - share) * moving[j] + share * batch[j];
}

}  // namespace

StatisticSums::StatisticSums(const Program& program, const Storage& storage, std::size_t shards)
    : program_(program), storage_(storage), shards_(shards) {
  std::size_t most = 0;
  for (const BatchStatistic& statistic : program.statistics) {
    sums_.emplace_back(elements_of(statistic), shards);
    most = std::max(most, elements_of(statistic));
  }
  gathered_.resize(most);
}

float* StatisticSums::floats(BufferIndex buffer) const {
  return static_cast<float*>(storage_.addresses()[static_cast<std::size_t>(buffer)]);
}

void StatisticSums::take(std::size_t statistic, std::size_t shard, const SumOfGradient& sum_of_gradient) {
  const BatchStatistic& of = program_.statistics[statistic];
  const bool is_last = shard + 1 == shards_;
  if (of.becomes != BatchStatistic::Becomes::gradient_means) {
    sums_[statistic].take(shard, floats(of.sums.front()), 0, elements_of(of), gathered_.data());
  } else if (is_last) {
    take_gradients(of, sum_of_gradient);
  }
}

void StatisticSums::take_gradients(const BatchStatistic& statistic, const SumOfGradient& sum_of_gradient) {
  float* to = gathered_.data();
  for (const BufferIndex buffer : statistic.sums) {
    const std::int64_t offset = program_.buffers[static_cast<std::size_t>(buffer)].offset;
    to = std::copy_n(sum_of_gradient(static_cast<std::size_t>(offset / kFloat)), statistic.columns, to);
  }
}

void StatisticSums::exchange(std::size_t statistic, exchange::Communicator& communicator, double patience_seconds) {
  const std::size_t at = communicator.arena().tensors[statistic];
  const std::size_t bucket = communicator.arena().bucket_of[statistic];
  const std::size_t count = elements_of(program_.statistics[statistic]);
  std::copy_n(gathered_.begin(), count, communicator.gradients().begin() + static_cast<std::ptrdiff_t>(at));
  communicator.ready(bucket);
  communicator.wait(bucket, patience_seconds);
  std::copy_n(communicator.sums().begin() + static_cast<std::ptrdiff_t>(at), count, gathered_.begin());
}

void StatisticSums::finish(std::size_t statistic, std::size_t shards) {
  const BatchStatistic& of = program_.statistics[statistic];
  const std::int64_t columns = of.columns;
  const float share = 1.0F / static_cast<float>(of.rows * static_cast<std::int64_t>(shards));
  for (std::size_t i = 0; i < elements_of(of); ++i) gathered_[i] *= share;
  const float* mean = gathered_.data();
  if (of.becomes != BatchStatistic::Becomes::scale) {
    for (const BufferIndex buffer : of.means) {
      std::copy_n(mean, columns, floats(buffer));
      mean += columns;
    }
    return;
  }
  float* const moments = floats(of.means.front());
  for (std::int64_t j = 0; j < columns; ++j) moments[columns + j] = 1.0F / std::sqrt(mean[j] + of.epsilon);
  if (of.moving == kNoBuffer) return;
  const auto* const state = static_cast<const StepState*>(state_address(program_, storage_.addresses()));
  const float of_batch = moving_share(of.smallest_share, state->step);
  move(floats(of.moving), moments, columns, of_batch);
  move(floats(of.moving) + columns, mean, columns, of_batch);
}

}  // namespace regatta::engine
