#include "measure/train_leg.hpp"

namespace regatta::measure {

void train_leg(BlockRun& run) {
  for_each_living(run, [&](Arm& arm) {
    leave_if_interrupted(run);
    prepare_arm(run, arm);
    const sweep::Learned learned = run.port.train(arm.index, {*run.task.leg, run.task.training, run.task.objective});
    arm.memory.back().seen.peak_bytes = static_cast<std::uint64_t>(learned.peak_bytes);
    arm.learned = sweep::to_json(learned);
  });
}

}  // namespace regatta::measure
