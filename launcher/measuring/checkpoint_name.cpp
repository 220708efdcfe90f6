#include <fmt/format.h>

#include "measuring/measuring.hpp"
#include "regatta/base/digest.hpp"
#include "regatta/base/version.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::launcher {
namespace {

/// A folder of results that was moved or copied goes on from its checkpoints. A loop of the user's own has no file.
std::string named_within(const std::filesystem::path& folder, const std::filesystem::path& file) {
  if (file.empty()) return {};
  const auto within = std::filesystem::absolute(file).lexically_relative(std::filesystem::absolute(folder));
  return within.empty() || *within.begin() == ".." ? file.string() : within.string();
}

}  // namespace

std::string checkpoint_name(const sweep::ArmTask& task, const measure::TrainRequest& request, const TrainedOn& on) {
  const sweep::Training& training = request.training;
  std::string identity = fmt::format("{} {} {} {} {} {} {} {} {} {}", sweep::to_json(task.parameters),
                                     model::to_json(*task.model), named_within(on.run_folder, on.data),
                                     training.epochs.value_or(0), training.steps.value_or(0), training.evaluations,
                                     training.validation, request.objective.metric, on.environment, regatta_version());
  if (training.early_stop)
    identity += fmt::format(" {} {}", training.early_stop->patience, training.early_stop->min_delta);
  if (request.leg.purpose == sweep::Purpose::again) identity += " again";  // it trains from the beginning, apart
  return fmt::format("{}.safetensors", to_string(hash128(identity)));
}

}  // namespace regatta::launcher
