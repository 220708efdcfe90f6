// Loss and accuracy of weights on a part of the samples.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "arm.hpp"
#include "batches/train_data.hpp"

namespace regatta::worker {

struct Quality {
  double loss = 0;                 ///< mean over the part
  std::optional<double> accuracy;  ///< where the model classifies
  std::vector<bool> hits;          ///< there, for each row
};

/// Whether accuracy is a word for this model.
bool classifies(const model::Model& model);

/// A session that only looks: dropout is off, and nothing is updated.
class Evaluator {
 public:
  /// The part outlives it.
  Evaluator(const Arm& arm, const Part& part);
  Quality operator()(const std::vector<model::Tensor>& weights);

 private:
  const Part& part_;
  const model::Network& network_;
  std::int64_t batch_;
  std::unique_ptr<engine::Backend> backend_;
  std::unique_ptr<engine::Session> session_;
};

}  // namespace regatta::worker
