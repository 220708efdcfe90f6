#include "results/training_store.hpp"

#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "results/sample_sweep.hpp"

namespace regatta::results {

TrainingSweep training_sweep(const std::string& train, const std::string& more) {
  const std::string text = R"({"regatta": 1, "name": "learns", "task": "train",
    "axes": {"model": "mlp-10", "learning_rate": [0.01, 0.1]}, "train": )" +
                           train + more + "}";
  TrainingSweep made;
  made.sweep = sweep::parse_sweep(text, "learns.json", sweep::any_environment());
  made.plan = sweep::make_plan(made.sweep);
  return made;
}

sweep::Learned learned(double accuracy, std::int64_t first_step) {
  sweep::Learned learned;
  learned.curve.metrics = {sweep::train_loss, sweep::validation_loss, sweep::validation_accuracy};
  learned.curve.points = {{first_step, first_step * 32, 0.5, 0.25, {1, 2, accuracy / 2}},
                          {first_step * 2, first_step * 64, 1, 0.5, {0.5, 1.5, accuracy}}};
  learned.best_step = first_step * 2;
  learned.best = learned.curve.points.back().values;
  learned.training_samples = 80;
  learned.validation_samples = 20;
  learned.test_samples = 25;
  learned.checkpoint = "run.safetensors";
  return learned;
}

BlockRecord trained_block(const sweep::Plan& plan, BlockIndex block, const sweep::Learned& learned) {
  BlockRecord record = finished_block(plan, block);
  record.arms.front().learned = learned;
  return record;
}

}  // namespace regatta::results
