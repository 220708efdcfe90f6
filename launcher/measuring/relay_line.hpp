// What an agent has to exchange gradients with agents of other nodes.
#pragma once

#include <algorithm>
#include <utility>

#include "os/wait.hpp"
#include "regatta/exchange/relay.hpp"

namespace regatta::launcher {

struct RelayLine {
  exchange::RelayTransport transport = {};
  Chores beside = {};  ///< served while a worker is waited for; empty: nothing is to be done then
};

/// What a rank does anyway while it waits, and what its exchange needs. `line` outlives it.
inline Chores with_relay(Chores chores, const RelayLine& line) {
  return [chores = std::move(chores), &line] {
    const double seconds = chores();
    return line.beside ? std::min(seconds, line.beside()) : seconds;
  };
}

}  // namespace regatta::launcher
