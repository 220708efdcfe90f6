// A model lowered to operations over buffers: what both executors run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regatta/engine/ops.hpp"
#include "regatta/engine/settings.hpp"
#include "regatta/model/model.hpp"

namespace regatta::engine {

/// Where a buffer's memory comes from.
enum class Role {
  input_x,        ///< the caller's Batch::x, anew in each step
  input_y,        ///< Batch::y_float or y_int
  parameter,      ///< at `offset` in the flat arena of all parameters
  gradient,       ///< at `offset` in the flat arena of all gradients
  gradient_sum,   ///< at `offset`: of the steps since the last update
  first_moment,   ///< at `offset`: momentum, or Adam's m
  second_moment,  ///< at `offset`: Adam's v
  moving_moment,  ///< both of a batch normalization
  step_state,     ///< StepState
  statistics,     ///< sums of a part of a batch, and what those of all of it become
  output,         ///< kept after the step for Session::output
  sample_losses,  ///< kept after the step
  mean_loss,      ///< kept after the step
  temporary,      ///< lives from its first to its last use inside a step
};

struct BufferSpec {
  Role role = Role::temporary;
  std::int64_t bytes = 0;
  std::int64_t offset = 0;  ///< bytes, in the arena of its role
};

/// A forward operation, and the operations of its gradient in the order in which they run.
struct Node {
  Op op;
  std::vector<Op> gradient;
};

/// A trainable tensor: its name and shape, and the buffers that belong to it.
struct ParameterBuffers {
  std::string name;
  model::Shape shape;
  BufferIndex value = kNoBuffer;
  BufferIndex gradient = kNoBuffer;
  BufferIndex gradient_sum = kNoBuffer;  ///< this and the moments only where the update wants them
  BufferIndex first_moment = kNoBuffer;
  BufferIndex second_moment = kNoBuffer;
};

/// The moving mean or variance of a batch normalization: kept with the weights, but not trained.
struct MovingMoment {
  std::string name;
  model::Shape shape;
  BufferIndex buffer = kNoBuffer;  ///< holds both of a normalization, one behind the other
  std::int64_t offset = 0;         ///< floats of the buffer before this one
  float start = 0;
};

/// The statistic that an operation awaits (awaits_sums): sums over all parts of the batch, and their result.
struct BatchStatistic {
  enum class Becomes { mean, scale, gradient_means };
  Becomes becomes = Becomes::mean;
  std::int64_t rows = 0, columns = 0;  ///< a part's
  std::vector<BufferIndex> sums;       ///< a part's, each of `columns`: one, or the gradients of gamma and beta
  std::vector<BufferIndex> means;      ///< moments(2, columns), or as `sums`
  BufferIndex moving = kNoBuffer;      ///< moving moments, moved where scale is written, if any are kept
  float epsilon = 0;                   ///< the normalization's, where scale is written
  float smallest_share = 0;
};

/// Order of a step: all nodes, the gradients of all nodes from last to first, the updates with what prepares them.
struct Program {
  std::vector<BufferSpec> buffers;
  std::vector<Node> nodes;
  std::vector<Op> updates;
  std::vector<ParameterBuffers> parameters;  ///< in the order of model::parameters
  std::vector<MovingMoment> moving_moments;  ///< only with Settings::moving_moments
  std::vector<BatchStatistic> statistics;    ///< only with BatchStatistics::batch, in the order of the step
  std::int64_t flat_bytes = 0;               ///< bytes of each flat arena: parameters, gradients, moments
  std::int64_t x_count = 0;                  ///< elements that Batch::x must hold
  std::int64_t x_int_count = 0;              ///< or Batch::x_int
  std::int64_t vocabulary = 0;               ///< x_int lies in [0, vocabulary)
  std::int64_t y_float_count = 0;
  std::int64_t y_int_count = 0;
  std::int64_t classes = 0;  ///< y_int lies in [0, classes)
  std::int64_t output_count = 0;
  std::int64_t sample_loss_count = 0;
  bool has_mean_loss = false;
  float learning_rate = 0;  ///< the model's
};

/// Whether a step is taken in parts: of networks that train with several shards or ranks.
bool is_sharded(const Settings& settings);

/// The settings of one part.
Settings shard_settings(const Settings& settings);

/// Lowers any kind of model; of a step in parts, one of them. Throws InputError naming what the engine lacks;
/// std::bad_alloc if a buffer could not exist in memory.
Program lower(const model::Model& model, const Settings& settings);

/// The same on the same buffers for a step that makes no update: its gradients are added to those before.
Program without_update(const Program& program);

/// A training step in parts, on the same buffers: what counts it, the gradients of a shard, the update.
struct StepParts {
  Program count, gradients, update;
};
StepParts parts_of(const Program& program);

/// The step as one list, in the order that eager runs it.
std::vector<Op> step_ops(const Program& program);

}  // namespace regatta::engine
