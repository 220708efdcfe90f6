#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/bench.hpp"
#include "regatta/base/units.hpp"
#include "regatta/base/version.hpp"

namespace regatta::launcher {
namespace {

Spread spread_of(const NodeLink& link, double LinkRound::*of_round) {
  std::vector<double> values;
  for (const LinkRound& round : link.rounds) values.push_back(round.*of_round);
  return launcher::spread_of(values);
}

std::string rate_text(const Spread& rate) {
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", rate.median / 1e9, rate.low / 1e9, rate.high / 1e9);
}

std::string name_of(const NodeOfJob& node) { return fmt::format("{} ({})", node.host, node.rank); }

bool is_one_kernel(const NodeLinks& found, const NodeLink& link) {
  return found.nodes[link.a].kernel == found.nodes[link.b].kernel;
}

std::string clocks_text(const NodeLinks& found, const NodeLink& link) {
  if (is_one_kernel(found, link)) return "one clock";
  const ClockOffset offset = clock_offset(link);
  return fmt::format("{:+.0f} us, +-{:.0f}", 1e6 * offset.seconds, 1e6 * offset.error_seconds);
}

double slower_way(const NodeLink& link) {
  return std::min(spread_of(link, &LinkRound::there_bytes_per_second).median,
                  spread_of(link, &LinkRound::back_bytes_per_second).median);
}

/// Where there are pairs to tell apart.
std::string slowest_text(const NodeLinks& found) {
  if (found.links.size() < 2) return {};
  const auto slowest = std::ranges::min_element(found.links, {}, slower_way);
  return fmt::format("slowest: {} and {}, {:.2f} GB/s\n", name_of(found.nodes[slowest->a]),
                     name_of(found.nodes[slowest->b]), slower_way(*slowest) / 1e9);
}

}  // namespace

std::string to_text(const NodeLinks& found) {
  if (found.links.empty())
    return fmt::format("all ranks share the memory of one node, {}: nothing passes between nodes\n",
                       found.nodes.front().host);
  constexpr const char* line = "{:<20} {:<20} {:>10}  {:^20}  {:^20}  {}\n";
  std::string text =
      fmt::format(line, "node (rank)", "node (rank)", "round trip", "there, GB/s", "back, GB/s", "clocks apart");
  for (const NodeLink& link : found.links)
    text += fmt::format(line, name_of(found.nodes[link.a]), name_of(found.nodes[link.b]),
                        format_duration(spread_of(link, &LinkRound::round_trip_seconds).median),
                        rate_text(spread_of(link, &LinkRound::there_bytes_per_second)),
                        rate_text(spread_of(link, &LinkRound::back_bytes_per_second)), clocks_text(found, link));
  const std::size_t rounds = found.links.front().rounds.size();
  return text + slowest_text(found) +
         fmt::format(
             "{} nodes, a pair at a time, {} chunks of 1 MiB each way, {} round{}; medians [lowest, highest].\n",
             found.nodes.size(), link_chunks, rounds, rounds == 1 ? "" : "s");
}

std::string to_json(const NodeLinks& found) {
  nlohmann::ordered_json document = {{"regatta", regatta_version()},
                                     {"nodes", nlohmann::ordered_json::array()},
                                     {"links", nlohmann::ordered_json::array()}};
  for (const NodeOfJob& node : found.nodes) document["nodes"].push_back({{"rank", node.rank}, {"host", node.host}});
  for (const NodeLink& link : found.links) {
    const auto [trip, trip_low, trip_high] = spread_of(link, &LinkRound::round_trip_seconds);
    const auto [there, there_low, there_high] = spread_of(link, &LinkRound::there_bytes_per_second);
    const auto [back, back_low, back_high] = spread_of(link, &LinkRound::back_bytes_per_second);
    const ClockOffset offset = clock_offset(link);
    document["links"].push_back({{"a", found.nodes[link.a].rank},
                                 {"b", found.nodes[link.b].rank},
                                 {"rounds", link.rounds.size()},
                                 {"round_trip", {{"median", trip}, {"low", trip_low}, {"high", trip_high}}},
                                 {"there", {{"median", there}, {"low", there_low}, {"high", there_high}}},
                                 {"back", {{"median", back}, {"low", back_low}, {"high", back_high}}},
                                 {"one_clock", is_one_kernel(found, link)},
                                 {"clock_offset", offset.seconds},
                                 {"clock_error", offset.error_seconds}});
  }
  return document.dump() + '\n';
}

}  // namespace regatta::launcher
