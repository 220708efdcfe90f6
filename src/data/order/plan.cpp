#include "regatta/data/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "regatta/base/error.hpp"
#include "regatta/base/random.hpp"

namespace regatta::data {
namespace {

constexpr std::uint64_t order_stream = std::uint64_t{1} << 34;  // apart from those of weights, x and y

std::uint64_t key_of(const Plan& plan, std::int64_t epoch) {
  return random_bits(random_bits(plan.seed, order_stream), static_cast<std::uint64_t>(epoch));
}

/// Part `rank` of `ranks` of so many samples, as evenly as whole samples allow.
std::int64_t part_begin(std::int64_t samples, const Plan& plan, std::int64_t rank) {
  return samples * rank / plan.ranks;
}

}  // namespace

void check(const Plan& plan) {
  const auto refuse = [](const std::string& what) { throw InputError(what); };
  if (plan.samples < 1) refuse("the dataset has no samples (nothing can be read); give it some");
  if (plan.samples >= most_samples)
    refuse(fmt::format("the dataset has {} samples (the limit is 2^32 - 1); split it", plan.samples));
  if (plan.batch >= most_samples)
    refuse(fmt::format("batch is {} (the limit is 2^32 - 1 samples); use a smaller one", plan.batch));
  if (plan.batch < 1) refuse(fmt::format("batch is {} (a step needs at least one sample); correct it", plan.batch));
  if (plan.ranks < 1 || plan.rank < 0 || plan.rank >= plan.ranks)
    refuse(fmt::format("rank {} of {} (they count from 0 to ranks - 1); correct it", plan.rank, plan.ranks));
  if (plan.batch % plan.ranks != 0)
    refuse(
        fmt::format("a batch of {} cannot be shared by {} ranks (each step gives every rank as many samples); use a "
                    "multiple",
                    plan.batch, plan.ranks));
  if (steps_per_epoch(plan) < 1)
    refuse(
        fmt::format("a batch of {} is more than the {} samples: an epoch without its tail has no step. Use a smaller "
                    "batch, or keep the tail",
                    plan.batch, plan.samples));
}

std::int64_t steps_per_epoch(const Plan& plan) {
  const std::int64_t whole = plan.samples / plan.batch;
  return plan.tail == Tail::drop || plan.samples % plan.batch == 0 ? whole : whole + 1;
}

std::int64_t batch_of_rank(const Plan& plan) { return plan.batch / plan.ranks; }

Position position_at(const Plan& plan, std::int64_t steps_done) {
  const std::int64_t steps = steps_per_epoch(plan);
  return {steps_done / steps, steps_done % steps};
}

Share share_of(const Plan& plan, std::int64_t step) {
  const std::int64_t begin = step * plan.batch;
  const std::int64_t there = std::min(plan.batch, plan.samples - begin);
  const std::int64_t samples = plan.tail == Tail::pad ? plan.batch : there;
  const std::int64_t first = part_begin(samples, plan, plan.rank);
  const std::int64_t count = part_begin(samples, plan, plan.rank + 1) - first;
  return {begin + first, count, std::clamp(there - first, std::int64_t{0}, count)};
}

EpochOrder::EpochOrder(const Plan& plan, std::int64_t epoch)
    : plan_(plan), permutation_(plan.samples, key_of(plan, epoch)) {}

void EpochOrder::take(std::int64_t first, std::span<std::uint32_t> samples) const {
  if (plan_.shuffles) return permutation_.images(first, samples);
  std::iota(samples.begin(), samples.end(), static_cast<std::uint32_t>(first));
}

// A last batch is filled up from the first sample on, more than once if the epoch is that short.
void EpochOrder::samples_of(std::int64_t step, std::span<std::uint32_t> samples) const {
  const Share share = share_of(plan_, step);
  expect(static_cast<std::int64_t>(samples.size()) == share.count, "a place for each sample of the share");
  std::int64_t first = share.first % plan_.samples;
  while (!samples.empty()) {
    const auto count = std::min<std::size_t>(samples.size(), static_cast<std::size_t>(plan_.samples - first));
    take(first, samples.first(count));
    samples = samples.subspan(count);
    first = 0;
  }
}

}  // namespace regatta::data
