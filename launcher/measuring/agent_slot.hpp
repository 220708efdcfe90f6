// The slot that an agent measures on: its processes and the facts known of it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "children/inputs.hpp"
#include "children/installations.hpp"
#include "children/worker_pool.hpp"
#include "devices/care.hpp"
#include "host/core_claims.hpp"
#include "measuring/measuring.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/results/calibration.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/sweep/slot.hpp"

namespace regatta::launcher {

/// The text of the model that was asked for last: blocks in a row mostly have the same.
class LastModel {
 public:
  const std::string& text_of(const model::Model& model) {
    if (!model_ || !(*model_ == model)) {
      model_ = model;
      text_ = model::to_json(model);
    }
    return text_;
  }

 private:
  std::optional<model::Model> model_;
  std::string text_;
};

struct AgentSlot {
  SpawnerClient& spawner;
  WorkerPool& pool;
  EnvironmentResolver& environments;
  CoreClaim& claim;  ///< on its cores
  InputStore inputs;
  std::filesystem::path run_folder;                                ///< NAME.regatta
  results::Host host;                                              ///< read once: it costs a walk through the topology
  std::optional<results::Calibration> calibration = std::nullopt;  ///< once a comparison needed it
  bool calibration_tried = false;
  bool calibration_reported = false;                       ///< a result has carried it
  std::optional<sweep::SlotDevice> device = std::nullopt;  ///< the device that it owns beside its cores
  std::optional<DeviceCare> care = std::nullopt;           ///< how that fares
  bool device_calibration_tried = false;
  LastModel last_model = {};
  bool one_by_one = false;         ///< no lots of quick blocks
  bool keeps_workers = false;      ///< they serve the next pass, too
  std::string memory_domain = {};  ///< agents that say the same can share memory
  RelayLine* relay = nullptr;      ///< to agents of other nodes; nothing: there is none
  std::string cut_off = {};        ///< not empty: agents of other nodes do not answer any more, and which
};

/// Where runs that are trained leave theirs.
inline std::filesystem::path checkpoints_of(const AgentSlot& slot) { return slot.run_folder / "checkpoints"; }

}  // namespace regatta::launcher
