#include "measuring/block_runner.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "measuring/calibration.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/log.hpp"
#include "regatta/measure/foreseen.hpp"

namespace regatta::launcher {
namespace {

/// A block on its way: its arms, and whether they were told ahead what will be asked.
struct Begun {
  std::unique_ptr<SlotArms> arms;
  bool is_ahead = false;
};

std::vector<Begun> begin(AgentSlot& slot, std::span<const sweep::BlockTask> tasks, const BlockLine& line) {
  std::vector<Begun> begun;
  for (const sweep::BlockTask& task : tasks) {
    const bool all_ahead = begun.empty() || begun.back().is_ahead;  // a later request must not overtake
    auto arms = std::make_unique<SlotArms>(slot, task, line);
    const bool is_ahead = all_ahead && arms->send_ahead(task);
    begun.push_back({std::move(arms), is_ahead});
  }
  return begun;
}

struct WallTimes {
  double start_seconds;
  double end_seconds;
};

/// A worker that was told ahead has run the block before its answers were looked at: its own stamps say when.
WallTimes stamped_times(const protocol::BlockResult& result, WallTimes seen) {
  if (result.samples.empty()) return seen;
  const double to_wall_seconds = wall_seconds() - steady_seconds();
  WallTimes stamped{seen.end_seconds, 0};
  for (const stats::Sample& sample : result.samples) {
    stamped.start_seconds = std::min(stamped.start_seconds, to_wall_seconds + sample.start_seconds);
    stamped.end_seconds = std::max(stamped.end_seconds, to_wall_seconds + sample.start_seconds + sample.seconds);
  }
  return stamped;
}

/// Completes a result with the slot's facts.
void complete(AgentSlot& slot, const SlotArms& arms, const WallTimes& times, protocol::BlockResult& result) {
  result.start_wall_seconds = times.start_seconds;
  result.end_wall_seconds = times.end_seconds;
  if (arms.beside_other_run()) result.flags.add(stats::Flag::other_run);
  if (arms.was_suspended()) result.flags.add(stats::Flag::suspended);
  if (!slot.calibration || slot.calibration_reported) return;
  result.calibration_json = to_json(*slot.calibration);
  slot.calibration_reported = true;
}

measure::BlockOutcome run_one(AgentSlot& slot, const Begun& begun, const sweep::BlockTask& task,
                              measure::BlockBudget& budget) {
  const double start_wall_seconds = wall_seconds();
  measure::BlockOutcome outcome = measure::run_block(*begun.arms, task, budget);
  if (auto* result = std::get_if<protocol::BlockResult>(&outcome)) {
    WallTimes times{start_wall_seconds, wall_seconds()};
    if (begun.is_ahead) times = stamped_times(*result, times);
    complete(slot, *begun.arms, times, *result);
  }
  return outcome;
}

}  // namespace

bool goes_in_lots(const sweep::BlockTask& task) { return task.gang.empty() && !measure::foreseen_slices(task).empty(); }

bool is_told_by_visits(const sweep::BlockTask& task) {
  const bool is_plain = task.has_baseline && !task.explains && !task.leg && task.gang.empty();
  const bool has_programs = std::ranges::any_of(task.arms, [](const auto& arm) { return arm.command.has_value(); });
  return is_plain && !has_programs && !sweep::is_value_of_processes(task.measure.metric);
}

void run_blocks(AgentSlot& slot, std::span<const sweep::BlockTask> tasks, measure::BlockBudget& budget,
                const BlockLine& line,
                const std::function<void(const sweep::BlockTask&, measure::BlockOutcome)>& ended) {
  const std::vector<Begun> begun = begin(slot, tasks, line);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    measure::BlockOutcome outcome = run_one(slot, begun[i], tasks[i], budget);
    const auto* failed = std::get_if<protocol::AttemptFailed>(&outcome);
    if (failed != nullptr && begun[i].is_ahead && tasks.size() > 1) {
      log::warn("a worker died with several trials before it; they begin again one by one: " + failed->message);
      outcome = run_one(slot, {std::make_unique<SlotArms>(slot, tasks[i], line)}, tasks[i], budget);
    }
    ended(tasks[i], std::move(outcome));
  }
}

void run_tour(AgentSlot& slot, std::span<const sweep::BlockTask> tasks, measure::BlockBudget& budget,
              const BlockLine& line, const TourLine& told) {
  std::vector<std::unique_ptr<SlotArms>> arms;
  std::vector<measure::GroupBlock> blocks;
  for (const sweep::BlockTask& task : tasks) {
    arms.push_back(std::make_unique<SlotArms>(slot, task, line));
    blocks.push_back({*arms.back(), task});
  }
  std::vector<std::optional<double>> start_wall_seconds(tasks.size());  // starts of visits that were not told yet
  const auto tell = [&](std::size_t at, measure::BlockOutcome outcome) {
    const double end_seconds = wall_seconds();
    const double start_seconds = std::exchange(start_wall_seconds[at], std::nullopt).value_or(end_seconds);
    if (auto* result = std::get_if<protocol::BlockResult>(&outcome))
      complete(slot, *arms[at], {start_seconds, end_seconds}, *result);
    told.told(tasks[at], std::move(outcome));
  };
  measure::run_group(blocks, budget,
                     {.ended = tell,
                      .visited =
                          [&](std::size_t at, protocol::BlockResult result) {
                            result.goes_on = true;
                            tell(at, std::move(result));
                          },
                      .begins =
                          [&](std::size_t at) {
                            told.begins(tasks[at]);
                            if (!start_wall_seconds[at]) start_wall_seconds[at] = wall_seconds();
                          }});
}

}  // namespace regatta::launcher
