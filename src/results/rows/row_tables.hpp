// The small tables whose rows stand once and are referred to by their position: when two of their rows are the same
// row. Also what a host is called, and the order in which samples are kept.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "regatta/results/tables.hpp"

namespace regatta::results {

/// The position of `item` in `list`, appended if it is not there yet.
template <class Item, class Same>
std::int32_t position_of(std::vector<Item>& list, const Item& item, Same&& same) {
  const auto found = std::ranges::find_if(list, [&](const Item& held) { return same(held, item); });
  if (found != list.end()) return static_cast<std::int32_t>(found - list.begin());
  list.push_back(item);
  return static_cast<std::int32_t>(list.size() - 1);
}

inline bool same_host(const Host& a, const Host& b) {
  const auto key = [](const Host& h) {
    return std::tie(h.name, h.cpu_model, h.sockets, h.cores, h.memory_bytes, h.kernel, h.governor, h.node);
  };
  return key(a) == key(b);
}

/// The name by which people call it: its node, or itself.
inline const std::string& place_of(const Host& host) { return host.node.empty() ? host.name : host.node; }

inline bool same_slot(const SlotRow& a, const SlotRow& b) {
  return std::tie(a.host, a.kind, a.name, a.cores, a.flags) == std::tie(b.host, b.kind, b.name, b.cores, b.flags);
}

inline bool same_env(const Env& a, const Env& b) {
  return std::tie(a.name, a.engine, a.version) == std::tie(b.name, b.engine, b.version);
}

/// By trial, block, slice and time: not by time alone, as a clock that starts anew with the machine may lie between
/// sessions.
inline void sort_samples(std::vector<SampleRow>& samples) {
  std::ranges::stable_sort(samples, {}, [](const SampleRow& row) {
    return std::tuple(row.trial, row.block, row.sample.slice, row.sample.start_seconds);
  });
}

}  // namespace regatta::results
