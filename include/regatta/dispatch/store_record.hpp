// Records that the coordinator wants to be made durable, in the order in which they are to be written.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/results/records.hpp"
#include "regatta/stats/samples.hpp"

namespace regatta::dispatch {

/// The hardware of an agent: recorded when it joins and again once its slot is calibrated.
struct AgentToStore {
  AgentId agent;
  protocol::AgentReady ready;
  std::string calibration_json;  ///< empty until it was measured
};
struct BlockToStore {
  results::BlockRecord record;
  std::vector<stats::Sample> samples;
};
using StoreRecord = std::variant<AgentToStore, BlockToStore, results::FailedAttemptRecord>;

}  // namespace regatta::dispatch
