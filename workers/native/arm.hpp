// One prepared trial: its engine session and the batches that it cycles over.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batches/feeder.hpp"
#include "device.hpp"
#include "regatta/engine/session.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::worker {

/// Views into Arm::batch_tensors.
std::vector<engine::Batch> batches_of(const std::vector<model::Tensor>& tensors);

struct Arm {
  model::Model model;
  sweep::Parameters parameters;
  engine::Settings settings;
  Device device;
  std::vector<model::Tensor> weights;        ///< the initial ones, for checks
  std::vector<model::Tensor> batch_tensors;  ///< "x" (n, ...) and "y" (n, ...)
  std::vector<engine::Batch> batches;        ///< n views; one empty batch if the model reads none
  std::unique_ptr<engine::Backend> backend;  ///< of the session
  std::unique_ptr<engine::Session> session;
  Feeding feeding;
  std::optional<Feeder> feeder;   ///< feeds the timed steps
  data::LoaderTimes input_times;  ///< while a loader fed scored steps
  bool input_resident = false;    ///< all steps work on the first batch, which stays in place
  bool is_in_place = false;       ///< the first of them has fed it
};

/// The interventions of `prepare` that this engine offers.
std::vector<std::string> offered_interventions();

/// The model that was asked for last: trials in a row mostly have the same.
class LastModel {
 public:
  /// Valid until the next call. Throws InputError for what is no model.
  const model::Model& of(const std::string& text);

 private:
  model::Model model_;
  std::string text_;
};

/// Reads the files and builds the session. Throws InputError for what the engine lacks, std::bad_alloc.
Arm prepare_arm(const protocol::Prepare& request, LastModel& models);

/// The instruction set, and each choice among kernels once: "avx512; matmul 32 128 784 nn: rows_at_once 0, b_layout 1".
std::string kernels_text(const engine::PlanInfo& plan);

/// Bytes of the host's memory that the arm holds: plan, weights and batches.
std::uint64_t held_bytes(const Arm& arm);

/// What its device holds for it; nothing on the processor.
std::optional<protocol::DeviceMemory> device_memory(const Arm& arm);

}  // namespace regatta::worker
