// Messages to frames and back. parse_* read both forms; they throw PeerLost, naming the message and what is wrong with
// it.
#pragma once

#include <string>

#include "regatta/protocol/framing.hpp"
#include "regatta/protocol/messages.hpp"

namespace regatta::protocol {

Frame to_frame(const WorkerRequest& message);
Frame to_frame(const WorkerReply& message);
Frame to_frame(const SpawnerRequest& message);
Frame to_frame(const SpawnerReply& message);
Frame to_frame(const AgentRequest& message);
Frame to_frame(const AgentReply& message);

/// The same as bytes, between processes of one build (docs/reference/worker-protocol.md, "Packed").
Frame to_packed(const WorkerRequest& message);
Frame to_packed(const WorkerReply& message);
Frame to_packed(const SpawnerRequest& message);
Frame to_packed(const SpawnerReply& message);
Frame to_packed(const AgentRequest& message);
Frame to_packed(const AgentReply& message);

/// Agents of a job are of one build.
Frame to_packed(const GangMessage& message);
GangMessage parse_gang_message(const Frame& frame);

/// The layout of packed messages, as a worker that reads them names it. Equal layouts mean the same fields in the same
/// order.
const std::string& packed_layout();

WorkerRequest parse_worker_request(const Frame& frame);
WorkerReply parse_worker_reply(const Frame& frame);
SpawnerRequest parse_spawner_request(const Frame& frame);
SpawnerReply parse_spawner_reply(const Frame& frame);
AgentRequest parse_agent_request(const Frame& frame);
AgentReply parse_agent_reply(const Frame& frame);

}  // namespace regatta::protocol
