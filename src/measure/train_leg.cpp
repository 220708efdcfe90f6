#include "measure/measure.hpp"

namespace regatta::measure {

void train_leg(BlockRun& run) {
  for_each_living(run, [&](Arm& arm) {
    leave_if_interrupted(run);
    prepare_arm(run, arm);
    arm.learned = run.port.train(arm.index, {*run.task.leg, run.task.training, run.task.objective});
    arm.memory.back().seen.peak_bytes = static_cast<std::uint64_t>(arm.learned->peak_bytes);
  });
}

}  // namespace regatta::measure
