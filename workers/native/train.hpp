// The training loop: one leg of a run.
#pragma once

#include <functional>

#include "arm.hpp"
#include "batches/train_data.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/sweep/training.hpp"

namespace regatta::worker {

/// Called now and then, with the evaluations since the last time.
using TellLearned = std::function<void(const sweep::Learned&)>;

/// Trains through a leg, or has the best weights meet the test part. Throws InputError for what cannot be trained.
sweep::Learned train(Arm& arm, const DataSet& data, const protocol::Train& request, const TellLearned& tell);

}  // namespace regatta::worker
