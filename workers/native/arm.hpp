// One prepared trial: its engine session and the batches that it cycles over.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batches/feeder.hpp"
#include "device.hpp"
#include "native.hpp"
#include "regatta/engine/session.hpp"
#include "regatta/exchange/shared_memory.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::worker {

/// One of several ranks: the memory that it shares with the others, and the means by which it sums.
struct Group {
  std::uint32_t rank = 0;
  exchange::Arena arena = {};
  std::optional<exchange::Member> member = std::nullopt;  ///< until it has joined
  std::string path = {};  ///< path of its shared memory; on a device the text of device_member
  std::unique_ptr<engine::DeviceGroup> devices = nullptr;  ///< in place of the two below and the one above
  std::unique_ptr<exchange::Communicator> communicator = nullptr;
  double patience_seconds = 0;
  double exposed_seconds = 0;        ///< Session::exposed_exchange_seconds of the scored steps
  std::int64_t steps = 0;            ///< steps that were scored
  exchange::Arrivals arrivals = {};  ///< in those
};

/// Views into Arm::batch_tensors.
std::vector<engine::Batch> batches_of(const std::vector<model::Tensor>& tensors);

/// Names what the device is given meanwhile to a profiler that watches it.
class DeviceRange {
 public:
  DeviceRange(engine::Backend& backend, const std::string& name) : backend_(backend) {
    backend_.begin_range(name.c_str());
  }
  ~DeviceRange() { backend_.end_range(); }
  DeviceRange(const DeviceRange&) = delete;
  DeviceRange& operator=(const DeviceRange&) = delete;

 private:
  engine::Backend& backend_;
};

struct Arm {
  std::string name;  ///< for profilers, of one on a device: "trial mlp-10 graph batch 32"
  model::Model model;
  sweep::Parameters parameters;
  engine::Settings settings;
  Device device;
  std::vector<model::Tensor> weights;        ///< the initial ones, for checks
  std::vector<model::Tensor> batch_tensors;  ///< "x" (n, ...) and "y" (n, ...)
  std::vector<engine::Batch> batches;        ///< n views; one empty batch if the model reads none
  std::optional<Group> group;                ///< one of several ranks has it
  std::unique_ptr<engine::Backend> backend;  ///< the session computes on it
  std::unique_ptr<engine::Session> session;
  Feeding feeding;
  std::optional<Feeder> feeder;   ///< feeds the timed steps
  data::LoaderTimes input_times;  ///< while a loader fed scored steps
  bool input_resident = false;    ///< all steps work on the first batch, which stays in place
  bool exchange_off = false;      ///< it sums nothing with other ranks
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

/// Its session sums with the other ranks from the next step on. Throws InternalError for paths that name nothing of
/// theirs.
void join_group(Arm& arm, const protocol::Join& request);

/// The instruction set, and each choice among kernels once: "avx512; matmul 32 128 784 nn: rows_at_once 0, b_layout 1".
std::string kernels_text(const engine::PlanInfo& plan);

/// Bytes of the host's memory that the arm holds: plan, weights and batches.
std::uint64_t held_bytes(const Arm& arm);

/// Memory that its device holds for it; nothing on the processor.
std::optional<protocol::DeviceMemory> device_memory(const Arm& arm);

}  // namespace regatta::worker
