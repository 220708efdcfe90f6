#include "ranks/node_slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "host/host.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/own_paths.hpp"

namespace regatta::launcher {
namespace {

using Json = nlohmann::json;

std::string node_name() {
  const std::string name = batch_node();
  return name.empty() ? host_name() : name;
}

/// Hardware threads that the batch system gave the job on this node; 0 where it does not say.
std::size_t threads_of_job() {
  const char* const text = std::getenv("SLURM_CPUS_ON_NODE");
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

/// Masks of the ranks of this node, by local rank.
std::vector<std::vector<int>> masks_of_node(const MpiSession& mpi, const std::vector<int>& own, const Chores& chores) {
  std::vector<std::vector<int>> masks;
  for (const std::string& text : mpi.gather(Json{{"host", mpi.host()}, {"mask", own}}.dump(), chores)) {
    const Json told = Json::parse(text);
    if (told.at("host") == mpi.host()) masks.push_back(told.at("mask"));
  }
  return masks;
}

/// This rank's part, or the reason why there is none.
struct Parted {
  Slot slot;
  std::string problem;
};

Parted part_here(const Topology& topology, const std::vector<std::vector<int>>& masks, int local_rank) {
  try {
    const NodePart part = part_of_node(masks, local_rank);
    Parted parted{slot_for(topology, part.place, part.ranks), {}};
    if (shares_domain(topology, masks, local_rank)) parted.slot.flags.add(stats::Flag::neighbours);
    return parted;
  } catch (const InputError& error) {
    return {{}, fmt::format("node {}: {}", node_name(), error.what())};
  }
}

std::size_t unused_threads(const std::vector<std::vector<int>>& masks) {
  std::set<int> used;
  for (const auto& mask : masks) used.insert(mask.begin(), mask.end());
  return threads_of_job() - std::min(threads_of_job(), used.size());
}

/// Rank 0 says what is wrong and ends the job; a rank that ended first would end it without a word.
void refuse(const MpiSession& mpi, const std::string& problem, const Chores& chores) {
  if (mpi.rank() != 0) static_cast<void>(mpi.broadcast("", chores));
  throw InputError(problem);
}

std::string slots_text(const std::vector<std::size_t>& cores) {
  const auto [least, most] = std::ranges::minmax(cores);
  return fmt::format("{} slot{} of {}{} core{}", cores.size(), cores.size() == 1 ? "" : "s",
                     least == most ? "" : fmt::format("{} to ", least), most, most == 1 ? "" : "s");
}

}  // namespace

std::vector<std::string> slot_lines(const std::vector<RankSlot>& ranks) {
  struct Node {
    std::string name;
    std::vector<std::size_t> cores;
    std::size_t unused_threads = 0;
  };
  std::map<int, Node> nodes;
  for (const RankSlot& rank : ranks) {
    Node& node = nodes[rank.host];
    node.name = rank.node;
    node.cores.push_back(rank.cores);
    node.unused_threads = rank.unused_threads;
  }
  std::map<std::string, std::vector<std::string>> alike;
  for (auto& [host, node] : nodes) {
    std::ranges::sort(node.cores);
    const std::string unused =
        node.unused_threads == 0
            ? ""
            : fmt::format("; {} CPUs of the job there are in no slot (see --cpus-per-task)", node.unused_threads);
    alike[slots_text(node.cores) + unused].push_back(node.name);
  }
  std::vector<std::string> lines;
  for (const auto& [text, names] : alike) {
    std::string named = names.front();
    for (std::size_t i = 1; i < std::min<std::size_t>(names.size(), 3); ++i) named += ", " + names[i];
    if (names.size() > 3) named += fmt::format(" and {} more", names.size() - 3);
    lines.push_back(
        fmt::format("node{} {}: {}{}", names.size() == 1 ? "" : "s", named, text, names.size() == 1 ? "" : " each"));
  }
  return lines;
}

Slot own_slot(const MpiSession& mpi, const Chores& chores) {
  const Topology topology = read_topology();
  const std::vector<std::vector<int>> masks = masks_of_node(mpi, topology.mask, chores);
  const Parted parted = part_here(topology, masks, mpi.local_rank());
  const Json own = {{"host", mpi.host()},
                    {"node", node_name()},
                    {"cores", parted.slot.cpus.size()},
                    {"unused", unused_threads(masks)},
                    {"problem", parted.problem}};
  std::vector<RankSlot> ranks;
  std::set<std::string> problems;
  for (const std::string& text : mpi.gather(own.dump(), chores)) {
    const Json told = Json::parse(text);
    ranks.push_back({told.at("host"), told.at("node"), told.at("cores"), told.at("unused")});
    if (const std::string problem = told.at("problem"); !problem.empty()) problems.insert(problem);
  }
  if (!problems.empty()) refuse(mpi, *problems.begin(), chores);
  const bool has_nodes = std::ranges::any_of(ranks, [](const RankSlot& rank) { return rank.host != 0; });
  if (mpi.rank() == 0 && (has_nodes || threads_of_job() > 0)) {
    for (const std::string& line : slot_lines(ranks)) log::info(line);
  }
  return parted.slot;
}

}  // namespace regatta::launcher
