#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "launch/launch.hpp"

namespace regatta::launcher {
namespace {

constexpr const char* own_host = "localhost";  // needs neither a name that resolves nor a remote shell

/// The ranks of one node, in their order.
struct NodeRanks {
  std::string host;
  std::vector<const RankPlace*> ranks;
};

/// In the order in which ranks name them.
std::vector<NodeRanks> by_node(const std::vector<RankPlace>& places) {
  std::vector<NodeRanks> nodes;
  std::map<std::string, std::size_t> found;
  for (const RankPlace& place : places) {
    const auto [at, is_new] = found.try_emplace(place.node, nodes.size());
    if (is_new) nodes.push_back({place.host, {}});
    nodes[at->second].ranks.push_back(&place);
  }
  return nodes;
}

std::string host_of(const RankPlace& place, bool on_one_node) { return on_one_node ? own_host : place.host; }

/// "0x3": the set of these cores, as Slurm reads it.
std::string mask_of(const std::vector<int>& cpus) {
  constexpr int bits_each = 4;
  const int last = cpus.empty() ? 0 : *std::ranges::max_element(cpus);
  std::vector<unsigned> digits(static_cast<std::size_t>(last / bits_each) + 1);
  for (const int cpu : cpus) digits[static_cast<std::size_t>(cpu / bits_each)] |= 1U << (cpu % bits_each);
  std::string text = "0x";
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) text += fmt::format("{:x}", *digit);
  return text;
}

std::vector<std::string> masks_of(const NodeRanks& node) {
  std::vector<std::string> masks;
  for (const RankPlace* rank : node.ranks) masks.push_back(mask_of(rank->cpus));
  return masks;
}

/// Slurm has one list of masks for all nodes.
std::string binding(const std::vector<NodeRanks>& nodes) {
  const std::vector<std::string> masks = masks_of(nodes.front());
  const bool are_alike = std::ranges::all_of(nodes, [&](const NodeRanks& node) { return masks_of(node) == masks; });
  return are_alike ? fmt::format("--cpu-bind=mask_cpu:{}", fmt::join(masks, ",")) : "--cpu-bind=cores";
}

}  // namespace

std::string rankfile(const std::vector<RankPlace>& places) {
  const bool on_one_node = node_count(places) == 1;
  std::string text;
  for (std::size_t rank = 0; rank < places.size(); ++rank)
    text += fmt::format("rank {}={} slot={}\n", rank, host_of(places[rank], on_one_node),
                        fmt::join(places[rank].cpus, ","));
  return text;
}

std::vector<std::string> mpirun_words(const std::vector<RankPlace>& places, const std::string& file, bool as_root) {
  const std::vector<NodeRanks> nodes = by_node(places);
  std::vector<std::string> hosts;
  for (const NodeRanks& node : nodes)
    hosts.push_back(fmt::format("{}:{}", host_of(*node.ranks.front(), nodes.size() == 1), node.ranks.size()));
  // Cores of the rankfile are counted as the kernel counts them.
  std::vector<std::string> words = {"mpirun",
                                    "-n",
                                    std::to_string(places.size()),
                                    "--host",
                                    fmt::format("{}", fmt::join(hosts, ",")),
                                    "--use-hwthread-cpus",
                                    "--mca",
                                    "rmaps_rank_file_physical",
                                    "1",
                                    "--rankfile",
                                    file};
  if (as_root) words.insert(words.begin() + 1, "--allow-run-as-root");
  return words;
}

std::vector<std::string> srun_words(const std::vector<RankPlace>& places) {
  const std::vector<NodeRanks> nodes = by_node(places);
  std::vector<std::string> hosts;
  for (const NodeRanks& node : nodes) hosts.push_back(node.host);
  const std::size_t each = nodes.front().ranks.size();
  const bool is_even = std::ranges::all_of(nodes, [&](const NodeRanks& node) { return node.ranks.size() == each; });
  std::vector<std::string> words = {"srun",
                                    "--overlap",
                                    "--kill-on-bad-exit=1",
                                    fmt::format("--nodes={}", nodes.size()),
                                    fmt::format("--ntasks={}", places.size()),
                                    fmt::format("--cpus-per-task={}", places.front().cpus.size()),
                                    binding(nodes)};
  if (is_even) {
    words.push_back(fmt::format("--ntasks-per-node={}", each));
    words.push_back(fmt::format("--nodelist={}", fmt::join(hosts, ",")));
    return words;
  }
  std::vector<std::string> of_ranks;
  for (const NodeRanks& node : nodes) of_ranks.insert(of_ranks.end(), node.ranks.size(), node.host);
  words.emplace_back("--distribution=arbitrary");
  words.push_back(fmt::format("--nodelist={}", fmt::join(of_ranks, ",")));
  return words;
}

}  // namespace regatta::launcher
