#include "regatta/measure/foreseen.hpp"

#include <variant>

#include "regatta/sweep/capabilities.hpp"

namespace regatta::measure {
namespace {

constexpr std::int64_t most_slices = 16;  // the end of such a block should not be far

bool is_foreseeable(const sweep::BlockTask& task) {
  if (task.arms.size() != 1 || task.leg || task.wall_seconds || !task.dropped.empty()) return false;
  const sweep::ArmTask& arm = task.arms.front();
  const sweep::Measure& measure = task.measure;
  const bool is_short = measure.steps == 1 && measure.slices && *measure.slices <= most_slices;
  const bool is_plain = !sweep::is_value_of_processes(measure.metric) && !sweep::is_latency(measure.metric);
  return is_short && is_plain && arm.model && !arm.command && sweep::steps_per_call(arm.parameters) == 1;
}

}  // namespace

std::vector<SliceRequest> foreseen_slices(const sweep::BlockTask& task) {
  if (!is_foreseeable(task)) return {};
  std::vector<SliceRequest> slices;
  std::uint32_t number = 1;  // how it was prepared is the first
  for (const stats::Phase phase : {stats::Phase::first, stats::Phase::warmup})
    slices.push_back({{phase, number++, {.steps = 1}}});
  for (std::int64_t round = 0; round < *task.measure.slices; ++round)
    slices.push_back({{stats::Phase::steady, number++, {.steps = 1}}});
  return slices;
}

}  // namespace regatta::measure
