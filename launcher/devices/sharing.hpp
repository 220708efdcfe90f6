// The owner of each device among the ranks of a job. Each rank knows what all see, and comes to the same answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "regatta/sweep/slot.hpp"

namespace regatta::launcher {

/// A device as one rank sees it.
struct SeenDevice {
  sweep::SlotDevice device;
  std::vector<int> near;  ///< cores beside it; none: not known
};

/// The message of one rank to the others.
struct RankView {
  int rank = 0;
  int host = 0;  ///< the lowest rank of the same host
  std::string host_name;
  std::vector<int> cores;  ///< its slot's
  std::vector<SeenDevice> devices;
};

std::string to_text(const RankView& view);

/// Throws PeerLost.
RankView parse_rank_view(const std::string& text);

/// The device of each rank, in the order of `ranks`. A rank takes the first device that it sees and no lower rank of
/// its host has taken: first all those who see one near their cores that one, then the others. So ranks that see the
/// same devices get one each, in their order, and a rank that the batch system shows one device gets that; whoever
/// finds none has its cores only. Throws InputError where two hosts own the same device (containers that share it).
std::vector<std::optional<sweep::SlotDevice>> share_devices(const std::vector<RankView>& ranks);

}  // namespace regatta::launcher
