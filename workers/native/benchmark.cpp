#include "benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <variant>

#include "regatta/base/clock.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::worker {
namespace {

constexpr std::int64_t max_samples = std::int64_t{1} << 22;
constexpr std::int64_t max_steps = std::int64_t{1} << 48;
constexpr double seconds_per_nanosecond = 1e-9;

std::int64_t groups(std::int64_t steps, std::int64_t group) { return (steps + group - 1) / group; }

void run_in_place(Arm& arm, std::int64_t count) {
  std::int64_t done = 0;
  if (!arm.is_in_place) {
    arm.session->step(arm.batches.front());
    arm.is_in_place = true;
    done = 1;
  }
  for (; done < count; ++done) arm.session->step_in_place();
}

/// The operands of a product, as those of anything that is no network, are made before the first step in every engine
/// (`operands: resident`): on a device they are there. Steps of a processor read them where they lie in any case.
bool stays_in_place(const Arm& arm) {
  return arm.input_resident || (!arm.device.is_processor() && !std::holds_alternative<model::Network>(arm.model));
}

bool is_fed(const Arm& arm) { return arm.feeder->loader() != nullptr && !stays_in_place(arm); }

// Each sample starts where the one before ended, so that the stamps add up to the elapsed time.
void run_steps(Arm& arm, std::int64_t steps, std::int64_t group, std::span<stats::Sample> samples) {
  const bool in_place = stays_in_place(arm);
  std::int64_t start = steady_nanoseconds();
  for (stats::Sample& sample : samples) {
    const std::int64_t count = std::min(group, steps);
    if (in_place)
      run_in_place(arm, count);
    else
      for (std::int64_t i = 0; i < count; ++i) arm.feeder->step(*arm.session);
    arm.session->wait();
    const std::int64_t end = steady_nanoseconds();
    sample.steps = static_cast<std::uint32_t>(count);
    sample.start_seconds = static_cast<double>(start) * seconds_per_nanosecond;
    sample.seconds = static_cast<double>(end - start) * seconds_per_nanosecond;
    start = end;
    steps -= count;
  }
}

/// For profilers: "slice 7 steady". Nothing where there is no device to watch.
std::string range_name(const Arm& arm, const protocol::Slice& request) {
  if (arm.device.is_processor()) return {};
  return fmt::format("slice {} {}", request.order.slice, stats::name_of(request.order.phase));
}

/// Between slices the process may be stopped: the steps' own time says what they took with their batches.
void count_input(Arm& arm, const data::LoaderTimes& before, std::span<const stats::Sample> samples) {
  data::LoaderTimes more = arm.feeder->loader()->times() - before;
  double seconds = 0;
  for (const stats::Sample& sample : samples) seconds += sample.seconds;
  more.consume_seconds = std::max(seconds - more.wait_seconds, 0.0);
  arm.input_times = arm.input_times + more;
}

}  // namespace

std::vector<stats::Sample> run_slice(Arm& arm, const protocol::Slice& request) {
  const stats::ArmSlices& length = request.order.length;
  const bool counts =
      length.group >= 1 && length.group <= UINT32_MAX && length.reentry_steps <= max_steps && length.steps <= max_steps;
  if (!counts) throw std::invalid_argument("a slice needs a group of 1 to 2^32 - 1 steps, and at most 2^48 steps");
  const std::int64_t reentry_group =
      std::max(length.group, groups(length.reentry_steps, stats::rules::reentry_samples));
  const std::int64_t reentry = groups(length.reentry_steps, reentry_group);
  const std::int64_t scored = groups(length.steps, length.group);
  if (reentry + scored > max_samples)
    throw std::invalid_argument("a slice of more than 2^22 samples (they would not fit); group more steps to a sample");

  // Written once before the loop, so that no page of it is touched first inside.
  std::vector<stats::Sample> samples(static_cast<std::size_t>(reentry + scored));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].slice = request.order.slice;
    samples[i].arm = static_cast<std::uint16_t>(request.arm.value);
    samples[i].phase = i < static_cast<std::size_t>(reentry) ? stats::Phase::reentry : request.order.phase;
  }
  const auto all = std::span(samples);
  const DeviceRange trial(*arm.backend, arm.name);
  const DeviceRange range(*arm.backend, range_name(arm, request));
  run_steps(arm, length.reentry_steps, reentry_group, all.first(static_cast<std::size_t>(reentry)));
  const bool counts_input = is_fed(arm) && request.order.phase == stats::Phase::steady;
  const data::LoaderTimes before = counts_input ? arm.feeder->loader()->times() : data::LoaderTimes{};
  const auto asked = all.subspan(static_cast<std::size_t>(reentry));
  const double exposed_seconds = arm.session->exposed_exchange_seconds();
  arm.session->take_arrivals();
  run_steps(arm, length.steps, length.group, asked);
  if (arm.group && request.order.phase == stats::Phase::steady) {
    arm.group->exposed_seconds += arm.session->exposed_exchange_seconds() - exposed_seconds;
    arm.group->steps += length.steps;
    arm.group->arrivals.add(arm.session->take_arrivals());
  }
  if (counts_input) count_input(arm, before, asked);
  return samples;
}

}  // namespace regatta::worker
