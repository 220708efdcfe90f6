#include "job/data_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "children/inputs.hpp"
#include "regatta/base/data_path.hpp"
#include "regatta/base/error.hpp"
#include "regatta/model/model.hpp"
#include "regatta/results/outcome_text.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/model_of.hpp"

namespace regatta::launcher {
namespace {

/// The worker's answer for one model and its data.
struct Answer {
  std::optional<std::int64_t> samples;      ///< in the training and the validation part
  std::optional<std::string> does_not_fit;  ///< why
  std::int64_t classes = 0;                 ///< in the training and the validation part; 0: labels are none
  std::int64_t tested_classes = 0;          ///< in the test part
  std::int64_t validation = 0;              ///< samples of a validation part that the data bring along
};

/// Empty if the worker said nothing that can be read.
Answer answer_of(const std::optional<std::string>& text) {
  Answer answer;
  const auto json = nlohmann::json::parse(text.value_or(""), nullptr, false);
  if (!json.is_object()) return answer;
  if (const auto refused = json.find("refused"); refused != json.end() && refused->is_string())
    throw InputError(refused->get<std::string>());
  if (const auto reason = json.find("does_not_fit"); reason != json.end() && reason->is_string())
    answer.does_not_fit = reason->get<std::string>();
  if (const auto samples = json.find("samples"); samples != json.end() && samples->is_number_integer())
    answer.samples = samples->get<std::int64_t>();
  answer.classes = json.value("classes", answer.classes);
  answer.tested_classes = json.value("test_classes", answer.tested_classes);
  answer.validation = json.value("validation", answer.validation);
  return answer;
}

/// A sentence about a test part that tells nothing of some classes; empty if it has all.
std::string remark_of(const Answer& answer, const std::string& dataset) {
  if (answer.tested_classes >= answer.classes) return {};
  return fmt::format("{}: the test part holds {} of {} classes; its accuracy says nothing about the others", dataset,
                     answer.tested_classes, answer.classes);
}

std::optional<std::string> reason_of(const Answer& answer, const sweep::Training& training,
                                     const sweep::Parameters& parameters) {
  if (answer.does_not_fit || !answer.samples) return answer.does_not_fit;
  const sweep::TrainingParts parts = sweep::training_parts(*answer.samples, training.validation, answer.validation);
  if (auto reason = sweep::no_validation_reason(parts, training.validation)) return reason;
  return sweep::no_step_reason(parts, sweep::batch_of(parameters).value_or(1));
}

}  // namespace

DataChecks check_data(const sweep::Sweep& sweep, const sweep::Plan& plan, const AskWorker& ask) {
  DataChecks checks;
  if (!sweep.training) return checks;
  std::map<std::string, Answer> answers;
  for (const sweep::Trial& trial : plan.trials) {
    if (trial.skip_reason) continue;
    sweep::ArmTask task;
    task.parameters = trial.parameters;
    task.model = sweep::model_of(sweep, trial.parameters);
    if (!task.model || !std::holds_alternative<model::Network>(*task.model)) continue;  // it reads data of its own
    if (const sweep::Dataset* dataset = sweep::dataset_of(sweep, trial.parameters)) task.dataset = *dataset;
    const std::string dataset = sweep::text_of(trial.parameters, sweep::Param::dataset);
    const auto [answer, is_new] = answers.try_emplace(reads_of(*task.model) + "\n" + dataset);
    if (is_new) answer->second = answer_of(ask(task));
    if (std::string remark = remark_of(answer->second, dataset); !remark.empty())
      checks.remarks.insert(std::move(remark));
    if (auto reason = reason_of(answer->second, *sweep.training, trial.parameters))
      checks.unfit.emplace(trial.index, std::move(*reason));
  }
  return checks;
}

DataChecks check_data(const sweep::Sweep& sweep, const sweep::Plan& plan) {
  return check_data(sweep, plan, [&](const sweep::ArmTask& task) {
    return ask_about_data(task, sweep.limits.trial_timeout_seconds);
  });
}

std::map<std::string, std::size_t> skips_by_reason(const sweep::Plan& plan,
                                                   const std::map<TrialIndex, std::string>& unfit) {
  std::map<std::string, std::size_t> skips;
  for (const sweep::Trial& trial : plan.trials) {
    if (trial.skip_reason) ++skips[*trial.skip_reason];
  }
  for (const auto& [trial, reason] : unfit) ++skips[reason];
  return results::folded(skips);
}

void keep_data(const Job& job) {
  for (const auto& [name, dataset] : job.sweep.datasets) {
    for (const std::string* file : {&dataset.data, &dataset.labels, &dataset.test, &dataset.test_labels,
                                    &dataset.validation, &dataset.validation_labels}) {
      const std::filesystem::path data = split_data_path(*file).file;
      for (const char* extension : {".h5", ".html", ".regatta"}) {
        const std::filesystem::path output = job.folder().replace_extension(extension);
        std::error_code not_there;
        if (data.empty() || !std::filesystem::equivalent(data, output, not_there)) continue;
        throw InputError(fmt::format(
            "the run would write its results to '{}', which holds data of the dataset {}. Choose another folder with "
            "--out, or another name for the sweep",
            output.string(), name));
      }
    }
  }
}

void need_a_training(const Job& job) {
  if (!job.sweep.training) return;
  const auto can_run = [&](const sweep::Trial& trial) {
    return !trial.skip_reason && !job.unfit.contains(trial.index);
  };
  if (std::ranges::any_of(job.plan.trials, can_run)) return;
  std::string reasons;
  for (const auto& [reason, count] : skips_by_reason(job.plan, job.unfit))
    reasons += fmt::format("\n  {} x {}", count, reason);
  throw InputError(
      fmt::format("{}: none of its {} configurations can be trained (nothing was run); correct the sweep "
                  "or its data:{}",
                  job.sweep.name, job.plan.trials.size(), reasons));
}

}  // namespace regatta::launcher
