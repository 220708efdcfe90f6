// A rank's facts about the exchange in its scored steps.
#pragma once

#include "arm.hpp"
#include "regatta/sweep/facts.hpp"

namespace regatta::worker {

/// Nothing of a trial of one rank.
sweep::Facts exchange_facts(const Arm& arm);

}  // namespace regatta::worker
