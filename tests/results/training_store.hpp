// A folder of results of a sweep that trains, with made-up curves.
#pragma once

#include <filesystem>
#include <string>

#include "regatta/results/store.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::results {

struct TrainingSweep {
  sweep::Sweep sweep;
  sweep::Plan plan;
};

/// Two learning rates; `more` are keys beside "train", such as a search.
TrainingSweep training_sweep(const std::string& train = R"({"epochs": 1, "seeds": 2})", const std::string& more = "");

/// Two evaluations, the second one the best, with this accuracy there.
sweep::Learned learned(double accuracy, std::int64_t first_step = 10);

/// An agent's record for the leg of a block.
BlockRecord trained_block(const sweep::Plan& plan, BlockIndex block, const sweep::Learned& learned);

}  // namespace regatta::results
