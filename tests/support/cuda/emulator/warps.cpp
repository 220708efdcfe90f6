#include "support/cuda/emulator/warps.hpp"

#include <cstring>

namespace regatta::emulator {

namespace {

bool at_same_place(const Gathering& gathering, const Thread& lane) {
  return gathering.where == lane.where && gathering.operation.kind == lane.operation.kind;
}

std::string lanes_text(unsigned lanes) {
  std::string text;
  for (int lane = 0; lane < 32; ++lane) {
    if (((lanes >> lane) & 1U) != 0) text += (text.empty() ? "" : ",") + std::to_string(lane);
  }
  return text;
}

/// The fault in the mask of a lane, whoever else has come.
std::string mask_failure(const Warp& warp, const Thread& lane) {
  const WarpOperation& operation = lane.operation;
  const unsigned mask = operation.mask;
  const unsigned absent = mask & (warp.count == 32 ? 0U : ~0U << warp.count);
  if (((mask >> lane.ids.lane) & 1U) == 0) return " whose mask lacks the calling lane";
  if (absent != 0) return " whose mask names lanes that the block does not have: " + lanes_text(absent);
  if ((mask & warp.returned) != 0)
    return " whose mask names lanes that have returned: " + lanes_text(mask & warp.returned);
  const int source = operation.source;
  if (operation.kind == WarpKind::shuffle && (source < 0 || source > 31 || ((mask >> source) & 1U) == 0)) {
    return " that reads lane " + std::to_string(source) + ", which its mask lacks";
  }
  return {};
}

std::uint64_t votes_of(const Warp& warp, unsigned mask) {
  std::uint64_t votes = 0;
  for (int lane = 0; lane < warp.count; ++lane) {
    if (((mask >> lane) & 1U) != 0 && warp.lanes[lane].operation.value != 0) votes |= std::uint64_t{1} << lane;
  }
  return votes;
}

unsigned odd_barriers(const Warp& warp) {
  unsigned odd = 0;
  for (int lane = 0; lane < warp.count; ++lane) odd |= (warp.lanes[lane].warp_barriers & 1U) << lane;
  return odd;
}

void give_results(Warp& warp, const WarpOperation& operation) {
  const std::uint64_t votes = operation.kind == WarpKind::vote ? votes_of(warp, operation.mask) : 0;
  const unsigned odd = kForTsan ? odd_barriers(warp) : 0;
  for (int i = 0; i < warp.count; ++i) {
    if (((operation.mask >> i) & 1U) == 0) continue;
    Thread& lane = warp.lanes[i];
    lane.result = operation.kind == WarpKind::shuffle ? warp.lanes[lane.operation.source].operation.value : votes;
    lane.odd_warp_barriers = odd;
  }
}

}  // namespace

std::string text_of(Where where) {
  const char* const slash = std::strrchr(where.file, '/');
  return std::string(slash != nullptr ? slash + 1 : where.file) + ":" + std::to_string(where.line);
}

Arrival arrive_in_warp(Warp& warp, const Thread& lane) {
  const char* const name = lane.operation.name;
  if (const std::string failure = mask_failure(warp, lane); !failure.empty()) return {0, name + failure};
  const unsigned mask = lane.operation.mask;
  const unsigned me = 1U << lane.ids.lane;
  Gathering* mine = nullptr;
  for (Gathering& gathering : warp.gatherings) {
    if ((gathering.operation.mask & me) == 0 && (gathering.arrived & mask) == 0) continue;
    if (!at_same_place(gathering, lane)) {
      const std::string place = gathering.operation.name + (" at " + text_of(gathering.where));
      return {0, name + (" where lanes of its mask wait in " + place)};
    }
    if (gathering.operation.mask != mask) {
      return {0, name + std::string(" whose mask differs from that of lanes which wait there")};
    }
    mine = &gathering;
  }
  if (mine == nullptr) mine = &warp.gatherings.emplace_back(Gathering{lane.operation, lane.where, 0});
  mine->arrived |= me;
  if (mine->arrived != mask) return {};
  give_results(warp, mine->operation);
  *mine = warp.gatherings.back();
  warp.gatherings.pop_back();
  return {mask, {}};
}

}  // namespace regatta::emulator
