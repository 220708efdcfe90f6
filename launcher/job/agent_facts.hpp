// The facts that an agent needs of a run beside the blocks that it is granted. Rank 0 sends them once. Ranks need not
// see the same files, and none but rank 0 reads the sweep.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "job/job.hpp"
#include "regatta/sweep/slot.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::launcher {

struct AgentFacts {
  std::filesystem::path folder;  ///< the folder of the run
  sweep::Limits limits;
  std::set<sweep::DeviceKind> devices;                   ///< kinds of devices that trials ask for, beside the cores
  std::map<std::string, sweep::Environment> from_sweep;  ///< installations by name
  std::map<std::string, sweep::Environment> from_file;   ///< declared in the --environments file
  bool one_by_one = false;                               ///< no lots of quick blocks
  bool keeps_processes = false;                          ///< workers serve the next pass, too
};

AgentFacts agent_facts(const Job& job);

std::string to_text(const AgentFacts& facts);

/// Throws PeerLost.
AgentFacts parse_agent_facts(const std::string& text);

}  // namespace regatta::launcher
