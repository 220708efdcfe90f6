// Where a training run stands, as a file: what is trained on from it has the bits of a run that was never interrupted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

#include "regatta/model/tensors.hpp"
#include "regatta/sweep/training.hpp"

namespace regatta::worker {

struct RunState {
  std::int64_t step = 0;          ///< done
  double loss_sum = 0;            ///< over the steps since the last evaluation
  std::int64_t loss_count = 0;    ///< how many these are
  double train_seconds = 0;       ///< since the run began, evaluations apart
  double evaluate_seconds = 0;    ///< the same
  std::int64_t without_gain = 0;  ///< evaluations in a row that did not improve the objective
  double gained = std::numeric_limits<double>::quiet_NaN();  ///< the objective that was the last gain; NaN: none yet
  bool is_over = false;                                      ///< it stopped early or diverged
  sweep::Learned learned;                                    ///< the whole run's
  std::vector<model::Tensor> weights;
  std::vector<model::Tensor> optimizer;
  std::vector<model::Tensor> best;  ///< weights of the best evaluation; empty: there is none
};

/// Written whole, or not at all. Throws StorageError.
void write_checkpoint(const std::filesystem::path& path, const RunState& state);

/// Nothing if there is none, or it is damaged, or it was written under another name and so is another run's: then the
/// run begins again, which gives the same.
std::optional<RunState> read_checkpoint(const std::filesystem::path& path);

}  // namespace regatta::worker
