#include "regatta/stats/slice_values.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "regatta/stats/cold_starts.hpp"
#include "regatta/stats/quantiles.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::stats {
namespace {

struct Slice {
  std::uint16_t arm = 0;
  std::uint32_t process = 0;
  std::vector<Sample> samples;  ///< steady
};

/// Seconds per step over the samples that hold the first or the last quarter of the steps.
double quarter(std::span<const Sample> samples, bool last) {
  const std::size_t count = samples.size() / 4;
  const auto part = last ? samples.last(count) : samples.first(count);
  double seconds = 0;
  double steps = 0;
  for (const Sample& sample : part) {
    seconds += sample.seconds;
    steps += sample.steps;
  }
  return seconds / steps;
}

double median_step_seconds(const std::vector<Sample>& samples) {
  std::vector<double> steps;
  steps.reserve(samples.size());
  for (const Sample& sample : samples) steps.push_back(sample.seconds / sample.steps);
  return median(std::move(steps));
}

SliceValue value_of(const Slice& slice, const ArmReading& reading) {
  SliceValue value;
  value.work = 0;
  for (const Sample& sample : slice.samples) {
    value.seconds += sample.seconds;
    value.work += sample.steps * reading.work_per_step;
    value.flags |= sample.flags;
  }
  value.square = slice.samples.front().square;
  value.process = reading.process_per_square ? value.square : slice.process;
  if (reading.quantile > 0) {
    value.quantile = reading.quantile;
    for (const Call& call : single_calls(slice.samples, reading.steps_per_call)) value.calls.push_back(call.seconds);
  } else {
    value.median_step_seconds = median_step_seconds(slice.samples) / reading.work_per_step;
  }
  if (slice.samples.size() >= rules::samples_for_quarters) {
    value.first_quarter = quarter(slice.samples, false) / reading.work_per_step;
    value.last_quarter = quarter(slice.samples, true) / reading.work_per_step;
  }
  return value;
}

/// Slices by number: their order in time.
std::map<std::uint32_t, Slice> steady_slices(std::span<const Sample> block, std::size_t arms) {
  std::map<std::uint32_t, Slice> slices;
  std::vector<std::set<std::uint32_t>> starts(arms);  // slice numbers of first steps
  for (const Sample& sample : block) {
    if (sample.arm >= arms || sample.rank != 0 || sample.steps == 0) continue;
    if (sample.phase == Phase::first) starts[sample.arm].insert(sample.slice);
    if (sample.phase != Phase::steady) continue;
    Slice& slice = slices[sample.slice];
    slice.arm = sample.arm;
    slice.samples.push_back(sample);
  }
  for (auto& [number, slice] : slices) {
    const auto& own = starts[slice.arm];
    const auto before = std::distance(own.begin(), own.lower_bound(number));
    slice.process = static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(before - 1, 0));
  }
  return slices;
}

struct ProcessSlices {
  SliceValue total{.work = 0};
  std::size_t slices = 0;
  std::size_t flagged = 0;
};

/// One value for each process whose start is known. A process was disturbed if most of its slices were: they only tell
/// how long its later steps take.
std::vector<SliceValue> from_start(const std::vector<SliceValue>& slices, std::span<const ColdStart> starts,
                                   std::int64_t steps) {
  std::map<std::uint32_t, ProcessSlices> processes;
  for (const SliceValue& slice : slices) {
    ProcessSlices& process = processes[slice.process];
    process.total.seconds += slice.seconds;
    process.total.work += slice.work;
    process.total.flags |= slice.flags;
    ++process.slices;
    if (slice.flags != 0) ++process.flagged;
  }
  std::vector<SliceValue> values;
  for (const ColdStart& start : starts) {
    const auto found = processes.find(start.process);
    if (found == processes.end()) continue;
    const auto& [total, number, flagged] = found->second;
    const double seconds = start.seconds() + static_cast<double>(steps) * total.seconds / total.work;
    const std::uint8_t flags = 2 * flagged > number ? total.flags : std::uint8_t{0};
    values.push_back({.seconds = seconds, .process = start.process, .square = start.process, .flags = flags});
  }
  return values;
}

}  // namespace

std::vector<SliceValue> process_values(std::span<const double> values) {
  std::vector<SliceValue> slices;
  for (const double value : values) {
    const auto number = static_cast<std::uint32_t>(slices.size());
    slices.push_back({.seconds = value, .process = number, .square = number});
  }
  return slices;
}

std::vector<std::vector<SliceValue>> slice_values(std::span<const Sample> block, std::span<const ArmReading> arms) {
  std::vector<std::vector<SliceValue>> values(arms.size());
  const auto slices = steady_slices(block, arms.size());
  std::map<std::uint32_t, std::set<std::uint16_t>> taking_part;  // arms of each square
  for (const auto& [number, slice] : slices) taking_part[slice.samples.front().square].insert(slice.arm);
  std::map<std::uint32_t, std::size_t> seen;  // slices of each square so far
  for (const auto& [number, slice] : slices) {
    SliceValue value = value_of(slice, arms[slice.arm]);
    value.position = static_cast<std::uint32_t>(seen[value.square]++ % taking_part[value.square].size());
    values[slice.arm].push_back(std::move(value));
  }
  const auto counts_start = [](const ArmReading& arm) { return arm.steps_from_start > 0; };
  if (std::ranges::none_of(arms, counts_start)) return values;
  const auto starts = cold_starts(block, arms.size());
  for (std::size_t arm = 0; arm < arms.size(); ++arm)
    if (counts_start(arms[arm])) values[arm] = from_start(values[arm], starts[arm], arms[arm].steps_from_start);
  return values;
}

}  // namespace regatta::stats
