// Trials as the launcher would prepare them: parameters, model, and the files that the real worker writes.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "regatta/protocol/messages.hpp"
#include "workers/worker_process.hpp"

namespace regatta::testing {

struct TrialSpec {
  std::string model;  ///< a named model
  std::string engine = "native";
  std::string mode = "graph";  ///< empty: null
  std::string work = "train";
  std::string dataset = "synthetic";
  std::int64_t batch = 32;
  std::int64_t seed = 0;
  std::string intervention = {};
  std::string rewrite = "none";
  std::string algorithm = "direct";
  std::string device = "cpu";
  std::string input = "array";
  std::int64_t loader_workers = 0;
  std::string host_dtype = "float32";
  std::string transform = {};  ///< empty: null
  std::string precision = "fp32";
  std::string memory = {};         ///< empty: null
  std::string transfers = {};      ///< empty: null
  std::string deterministic = {};  ///< empty: null
};

std::string parameters_json(const TrialSpec& spec);
std::string model_json(const std::string& name);

/// Runs `regatta-worker weights`; the request that prepares the trial as `arm`.
protocol::Prepare prepare_request(const TrialSpec& spec, const std::filesystem::path& folder, ArmIndex arm = {});

std::string native_worker();
/// With `variables` ("NAME=value") in its environment.
std::unique_ptr<WorkerProcess> start_native(const std::vector<std::string>& variables = {});

/// A worker in `folder` with the reference kernels as its plugin for the device cuda: its file.
std::string native_worker_with_plugin(const std::filesystem::path& folder);
std::unique_ptr<WorkerProcess> start_with_plugin(const std::filesystem::path& folder);
std::unique_ptr<WorkerProcess> start_python(const std::string& engine = "numpy");

}  // namespace regatta::testing
