// A training run in whole numbers: its parts, its steps, its evaluations and its learning rates. All engines do the
// same (docs/reference/worker-protocol.md, "Training").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regatta/protocol/messages.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::worker {

struct TrainPlan {
  std::int64_t training = 0;     ///< samples
  std::int64_t validation = 0;   ///< samples
  bool draws_validation = true;  ///< else it is the last rows
  std::int64_t batch = 1;
  std::int64_t steps = 1;                 ///< the horizon
  std::vector<std::int64_t> evaluations;  ///< step after which number i comes; the first, 0, is none
};

/// Training and validation samples together.
struct DataRows {
  std::int64_t all = 0;
  std::int64_t validation = 0;  ///< the last of them, if the data bring such a part along; 0: a run draws it
};

/// Throws InputError where a batch does not fit.
TrainPlan plan_of(const protocol::Train& request, const DataRows& rows, std::int64_t batch);

/// The evaluation that a part of the horizon ends with; 0 at its beginning.
std::size_t evaluation_at(const TrainPlan& plan, double part);

/// Rows of the validation part, then rows of the training part: a permutation keyed by the seed, or each part in the
/// file's order if nothing is drawn.
std::vector<std::uint32_t> split_rows(const TrainPlan& plan, std::uint64_t seed);

struct Rates {
  double base = 0;
  std::string schedule = "constant";
  double warmup = 0;       ///< part of the steps
  std::int64_t steps = 1;  ///< the horizon
};

Rates rates_of(const sweep::Parameters& parameters, const model::Model& model, std::int64_t steps);

/// The learning rate of a step, counted from 0.
double learning_rate_at(const Rates& rates, std::int64_t step);

}  // namespace regatta::worker
