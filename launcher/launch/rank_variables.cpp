#include <algorithm>
#include <set>

#include "launch/launch.hpp"

namespace regatta::launcher {
namespace {

constexpr const char* loopback = "127.0.0.1";

bool is_beside(const RankPlace& a, const RankPlace& b) { return a.node == b.node; }

/// How many of the ranks before `end` are on the node of `place`.
std::size_t count_beside(const std::vector<RankPlace>& places, const RankPlace& place, std::size_t end) {
  return static_cast<std::size_t>(std::count_if(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(end),
                                                [&](const RankPlace& other) { return is_beside(other, place); }));
}

/// The number of its node, in the order in which ranks name them.
std::size_t node_number(const std::vector<RankPlace>& places, std::size_t rank) {
  std::set<std::string> before;
  for (const RankPlace& place : places) {
    if (is_beside(place, places[rank])) return before.size();
    before.insert(place.node);
  }
  return before.size();
}

/// The variables by which torchrun tells of itself: libraries ask by it whether somebody else has started the ranks.
void add_torchrun(Variables& variables) {
  variables["TORCHELASTIC_RUN_ID"] = "regatta";
  variables["TORCHELASTIC_RESTART_COUNT"] = "0";
  variables["TORCHELASTIC_MAX_RESTARTS"] = "0";
  variables["ROLE_NAME"] = "default";
  variables["ROLE_RANK"] = variables.at("RANK");
  variables["ROLE_WORLD_SIZE"] = variables.at("WORLD_SIZE");
  variables["GROUP_WORLD_SIZE"] = variables.at("NNODES");
}

}  // namespace

std::size_t node_count(const std::vector<RankPlace>& places) {
  std::set<std::string> nodes;
  for (const RankPlace& place : places) nodes.insert(place.node);
  return nodes.size();
}

std::vector<Variables> rank_variables(sweep::Launch launch, const std::vector<RankPlace>& places, std::uint16_t port) {
  const std::size_t nodes = node_count(places);
  std::vector<Variables> of_ranks;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const std::string node = std::to_string(node_number(places, rank));
    Variables variables = {
        {"RANK", std::to_string(rank)},
        {"LOCAL_RANK", std::to_string(count_beside(places, places[rank], rank))},
        {"WORLD_SIZE", std::to_string(places.size())},
        {"LOCAL_WORLD_SIZE", std::to_string(count_beside(places, places[rank], places.size()))},
        {"GROUP_RANK", node},
        {"NODE_RANK", node},
        {"NNODES", std::to_string(nodes)},
        {"MASTER_ADDR", nodes == 1 ? loopback : places.front().address},
        {"MASTER_PORT", std::to_string(port)},
        {"PYTHONFAULTHANDLER", "1"},  // for the stacks of ranks that wait for one that is gone
    };
    // Gloo asks for the address of the host's name, which containers often do not know.
    if (nodes == 1) variables["GLOO_SOCKET_IFNAME"] = "lo";
    if (launch == sweep::Launch::torchrun) add_torchrun(variables);
    of_ranks.push_back(std::move(variables));
  }
  return of_ranks;
}

std::string devices_of_node(const std::vector<RankPlace>& places, const RankPlace& place) {
  std::string devices;
  for (const RankPlace& other : places) {
    if (!is_beside(other, place)) continue;
    if (other.device.empty()) return {};
    devices += (devices.empty() ? "" : ",") + other.device;
  }
  return devices;
}

std::vector<int> cores_of_node(const std::vector<RankPlace>& places, const RankPlace& place) {
  std::set<int> cores;
  for (const RankPlace& other : places) {
    if (is_beside(other, place)) cores.insert(other.cpus.begin(), other.cpus.end());
  }
  return {cores.begin(), cores.end()};
}

}  // namespace regatta::launcher
