// One message of every type with no field at its default, and the header each is expected to have.
#pragma once

#include <string>
#include <vector>

#include "regatta/protocol/codec.hpp"

namespace regatta::protocol::testing {

template <class Link>
struct Example {
  Link message;
  std::string header;  ///< as it goes over the link, without "bytes"
};

std::vector<stats::Sample> some_samples();

/// One of each type, and an axis of a sweep's own.
sweep::Parameters some_parameters();

/// Tasks with no field at its default, but what a grant itself says of its blocks.
std::vector<sweep::BlockTask> some_tasks(std::uint32_t count);

std::vector<Example<WorkerRequest>> worker_requests();
std::vector<Example<WorkerReply>> worker_replies();
std::vector<Example<SpawnerRequest>> spawner_requests();
std::vector<Example<SpawnerReply>> spawner_replies();
std::vector<Example<AgentRequest>> agent_requests();
std::vector<Example<AgentReply>> agent_replies();

enum class Form { json, packed };

/// All of them as frames.
std::vector<Frame> all_frames(Form form);

}  // namespace regatta::protocol::testing
