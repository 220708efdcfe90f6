#include "children/inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "children/children.hpp"
#include "children/worker_death.hpp"
#include "os/ask_program.hpp"
#include "os/child_output.hpp"
#include "regatta/base/digest.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::launcher {
namespace {

using sweep::Param;

std::string key(const std::string& model_json, const sweep::Parameters& parameters, std::initializer_list<Param> read,
                const std::string& files) {
  std::string text = model_json;
  for (Param param : read) text += "\n" + sweep::to_json(parameters[param]);
  return to_string(hash128(text + files));
}

/// The entry of the sweep, and what its files hold now.
std::string identity_of(const sweep::Dataset& dataset) {
  std::string text = "\n" + sweep::to_json(dataset, sweep::Paths::where_they_are);
  for (const auto& [called, file] : files_of(dataset)) text += "\n" + data_state(file);
  return text;
}

std::string identity_of(const sweep::ArmTask& task) {
  return task.dataset ? identity_of(*task.dataset) : std::string();
}

std::vector<std::string> worker_command(const char* what, const std::filesystem::path& worker,
                                        const std::filesystem::path& datasets, const sweep::ArmTask& task) {
  std::vector<std::string> argv = {worker.string(), what,
                                   "--parameters",  sweep::to_json(task.parameters),
                                   "--model",       model::to_json(*task.model),
                                   "--datasets",    datasets.string()};
  if (task.dataset) argv.insert(argv.end(), {"--dataset", sweep::to_json(*task.dataset, sweep::Paths::where_they_are)});
  return argv;
}

/// The worker's words about its end, without its own name before them.
std::string words_of(const std::string& log_path) {
  constexpr std::string_view prefix = "regatta: error: ";
  std::string words = log_tail(log_path);
  if (words.starts_with(prefix)) words.erase(0, prefix.size());
  return words;
}

}  // namespace

std::string reads_of(const model::Model& model) {
  const auto* network = std::get_if<model::Network>(&model);
  if (network == nullptr) return model::to_json(model);
  const auto* embedding = network->layers.empty() ? nullptr : std::get_if<model::Embedding>(&network->layers.front());
  return fmt::format("{} {} {} {}", fmt::join(network->input, ","), static_cast<int>(network->loss),
                     fmt::join(model::infer_shapes(*network).back(), ","), embedding ? embedding->vocabulary : 0);
}

std::optional<std::string> ask_about_data(const sweep::ArmTask& task, double timeout_seconds) {
  return output_of(worker_command("check", executable_folder() / "regatta-worker", share_folder() / "datasets", task),
                   {}, timeout_seconds);
}

InputPaths ensure_inputs(const InputStore& store, SpawnerClient& spawner, const sweep::ArmTask& task, bool trains,
                         double timeout_seconds) {
  const model::Model& model = *task.model;
  const sweep::Parameters& parameters = task.parameters;
  const bool makes_its_own = std::holds_alternative<model::UserModel>(model);
  if (makes_its_own || std::holds_alternative<model::Noop>(model)) return {};
  const std::string json = model::to_json(model);
  InputPaths paths;
  const std::string files = identity_of(task);
  if (trains) {
    paths.data =
        store.folder / fmt::format("data-{}.safetensors", key(reads_of(model), parameters, {Param::dataset}, files));
  } else {
    paths.batches =
        store.folder / fmt::format("batches-{}.safetensors",
                                   key(json, parameters, {Param::batch, Param::dataset, Param::seed}, files));
  }
  if (std::holds_alternative<model::Network>(model)) {
    paths.weights = store.folder / fmt::format("weights-{}.safetensors", key(json, parameters, {Param::seed}, {}));
  }
  std::vector<std::string> argv = worker_command("weights", store.worker, store.datasets, task);
  const std::size_t without_outputs = argv.size();
  if (!paths.weights.empty() && !std::filesystem::exists(paths.weights))
    argv.insert(argv.end(), {"--weights", paths.weights});
  if (trains && !std::filesystem::exists(paths.data)) argv.insert(argv.end(), {"--data-set", paths.data});
  if (!trains && !std::filesystem::exists(paths.batches)) argv.insert(argv.end(), {"--batches", paths.batches});
  if (argv.size() == without_outputs) return paths;

  create_private_folder(store.folder);
  [[maybe_unused]] const int emptied =
      ::ftruncate(open_log(store.log_path).get(), 0);  // only this run's words belong into its error
  bool timed_out = false;
  const auto exit = spawner.run({spawner.next_id(), argv, {}, {}, store.log_path, 0}, timeout_seconds, timed_out);
  const Death end = cause_of_death(exit, 0, 0);
  if (timed_out)
    throw WorkerDied(sweep::FailureKind::timed_out,
                     "writing weights and batches took longer than limits.trial_timeout");
  if (!WIFEXITED(exit.wait_status))
    throw WorkerDied(end.kind, "while weights and batches were written: " + end.message);
  if (WEXITSTATUS(exit.wait_status) == exit_code::does_not_fit) throw DoesNotFit(words_of(store.log_path));
  if (WEXITSTATUS(exit.wait_status) == exit_code::storage)
    throw StorageError(fmt::format("cannot make weights and batches: {}", words_of(store.log_path)));
  if (WEXITSTATUS(exit.wait_status) != 0)
    throw InputError(fmt::format("cannot make weights and batches: {}", words_of(store.log_path)));
  return paths;
}

}  // namespace regatta::launcher
