#include "regatta/report/training_so_far.hpp"
#include "report/export/json_values.hpp"
#include "report/findings/learning_words.hpp"

namespace regatta::report {
namespace {

Json curve_array(const analysis::Frontrunner& runner) {
  Json curve = Json::array();
  for (const auto& [samples, value] : runner.points) curve.push_back(Json::array({samples, value}));
  return curve;
}

}  // namespace

std::string training_so_far_json(const results::Results& results, const analysis::Findings& findings,
                                 const analysis::TrainingSoFar& so_far) {
  const View view = view_of(results, findings);
  const Learning& learning = *view.learning;
  Json ahead = Json::array();
  for (const auto& runner : so_far.ahead)
    ahead.push_back(Json{{"trial", to_string(results.trials[runner.trial.value].hash)},
                         {"label", configuration_text(view, learning, runner.trial)},
                         {"runs", runner.runs},
                         {"last", runner.points.back().second},
                         {"best", runner.best},
                         {"samples", runner.points.back().first},
                         {"curve", curve_array(runner)}});
  const bool competes = so_far.stage == analysis::TrainingStage::rung;
  return dumped(Json{{"stage", analysis::name_of(so_far.stage)},
                     {"rung", competes ? Json(so_far.rung) : Json(nullptr)},
                     {"configurations", learning.tally.configurations},
                     {"left", so_far.left},
                     {"recorded", so_far.recorded},
                     {"asked", so_far.asked},
                     {"legs_due", so_far.legs_due},
                     {"trainings", so_far.trainings},
                     {"everything", learning.cost.everything},
                     {"train_seconds", learning.tally.train_seconds},
                     {"evaluate_seconds", learning.tally.evaluate_seconds},
                     {"metric", learning.objective.metric},
                     {"ahead", std::move(ahead)}});
}

}  // namespace regatta::report
