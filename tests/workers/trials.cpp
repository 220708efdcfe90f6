#include "workers/trials.hpp"

#include "regatta/base/error.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/sweep/parameters.hpp"
#include "support/places.hpp"

namespace regatta::testing {

std::string parameters_json(const TrialSpec& spec) {
  using sweep::Param;
  sweep::Parameters parameters;
  parameters[Param::batch] = spec.batch;
  parameters[Param::dataset] = spec.dataset;
  parameters[Param::engine] = spec.engine;
  if (!spec.mode.empty()) parameters[Param::mode] = spec.mode;
  parameters[Param::model] = spec.model;
  parameters[Param::rewrite] = spec.rewrite;
  parameters[Param::algorithm] = spec.algorithm;
  parameters[Param::device] = spec.device;
  parameters[Param::input] = spec.input;
  if (spec.input == "pipeline") parameters[Param::loader_workers] = spec.loader_workers;
  parameters[Param::host_dtype] = spec.host_dtype;
  if (!spec.transform.empty()) parameters[Param::transform] = spec.transform;
  parameters[Param::precision] = spec.precision;
  if (!spec.memory.empty()) parameters[Param::memory] = spec.memory;
  if (!spec.transfers.empty()) parameters[Param::transfers] = spec.transfers;
  if (!spec.deterministic.empty()) parameters[Param::deterministic] = spec.deterministic;
  parameters[Param::seed] = spec.seed;
  parameters[Param::threads] = std::int64_t{1};
  parameters[Param::work] = spec.work;
  return sweep::to_json(parameters);
}

std::string model_json(const std::string& name) {
  constexpr std::int64_t length = 140;
  return model::to_json(model::find_model(name, length).value());
}

protocol::Prepare prepare_request(const TrialSpec& spec, const std::filesystem::path& folder, ArmIndex arm) {
  protocol::Prepare request{
      arm, sweep::parse_parameters(parameters_json(spec)), model_json(spec.model), "", "", spec.intervention};
  std::vector<std::string> argv = {
      native_worker(), "weights",     "--parameters", sweep::to_json(request.parameters),
      "--model",       request.model, "--datasets",   support::source_folder() + "/datasets"};
  const model::Model model = model::parse_model(request.model);
  if (std::holds_alternative<model::Noop>(model)) return request;
  request.batches_path = folder / ("batches-" + spec.model);
  argv.insert(argv.end(), {"--batches", request.batches_path});
  if (std::holds_alternative<model::Network>(model)) {
    request.weights_path = folder / ("weights-" + spec.model);
    argv.insert(argv.end(), {"--weights", request.weights_path});
  }
  expect(WorkerProcess(argv).wait() == 0, "regatta-worker weights succeeds");
  return request;
}

std::string native_worker() { return support::binary_folder() + "/bin/regatta-worker"; }

std::unique_ptr<WorkerProcess> start_native(const std::vector<std::string>& variables) {
  return std::make_unique<WorkerProcess>(std::vector<std::string>{native_worker()}, variables);
}

std::string native_worker_with_plugin(const std::filesystem::path& folder) {
  std::filesystem::copy_file(native_worker(), folder / "regatta-worker");
  std::filesystem::copy_file(support::binary_folder() + "/tests/engine/libregatta_reference.so",
                             folder / "libregatta_cuda.so");
  return folder / "regatta-worker";
}

std::unique_ptr<WorkerProcess> start_with_plugin(const std::filesystem::path& folder) {
  return std::make_unique<WorkerProcess>(std::vector<std::string>{native_worker_with_plugin(folder)});
}

std::unique_ptr<WorkerProcess> start_python(const std::string& engine) {
  const std::vector<std::string> argv = {REGATTA_PYTHON, "-B", "-m", "regatta_worker", "--engine", engine};
  return std::make_unique<WorkerProcess>(
      argv, std::vector<std::string>{"PYTHONPATH=" + support::binary_folder() + "/share/regatta/python",
                                     "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"});
}

}  // namespace regatta::testing
