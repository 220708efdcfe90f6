#include "measuring/block_runner.hpp"

#include "measuring/calibration.hpp"
#include "regatta/base/clock.hpp"

namespace regatta::launcher {

measure::BlockOutcome run_block(AgentSlot& slot, const sweep::BlockTask& task, measure::BlockBudget& budget,
                                const BlockLine& line) {
  const double start_wall_seconds = wall_seconds();
  SlotArms arms(slot, task, line);
  measure::BlockOutcome outcome = measure::run_block(arms, task, budget);
  if (auto* result = std::get_if<protocol::BlockResult>(&outcome)) {
    result->start_wall_seconds = start_wall_seconds;
    result->end_wall_seconds = wall_seconds();
    if (arms.beside_other_run()) result->flags.emplace_back("other run");
    if (slot.calibration && !slot.calibration_reported) {
      result->calibration_json = to_json(*slot.calibration);
      slot.calibration_reported = true;
    }
  }
  return outcome;
}

}  // namespace regatta::launcher
