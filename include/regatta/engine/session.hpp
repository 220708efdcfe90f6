// A worker's view of a model: build it once, run steps. The seam between workers/native and the engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "regatta/engine/backend.hpp"
#include "regatta/engine/plan_info.hpp"
#include "regatta/engine/settings.hpp"
#include "regatta/exchange/communicator.hpp"
#include "regatta/model/model.hpp"
#include "regatta/model/tensors.hpp"

namespace regatta::engine {

/// One batch in the caller's memory, which stays valid while it is used. Shapes: x (batch, input...),
/// y (batch) int32 class indices for sparse categorical cross-entropy, else (batch, outputs) fp32.
/// A model that begins with an embedding reads x_int in place of x.
/// Matmul: x = A, y_float = B, both (size, size). ScalarGradient: x = one value.
struct Batch {
  std::span<const float> x;
  std::span<const float> y_float;
  std::span<const std::int32_t> y_int;
  std::span<const std::int32_t> x_int = {};
};

/// A model with its parameters, optimizer state and executor. Eager and graph give the same bits.
class Session {
 public:
  virtual ~Session() = default;

  /// One training step (forward, loss, backward, update), one inference or evaluation step, one product or one
  /// derivative, as Settings and model say. A device may still be at it when this returns.
  virtual void step(const Batch& batch) = 0;

  /// The same on the batch of the last step(), which is in place: nothing is checked, imported or fed.
  virtual void step_in_place() = 0;

  /// Until all steps are done. The functions below that read results wait by themselves.
  virtual void wait() = 0;

  /// Mean loss of the last step; 0 if the model has none.
  [[nodiscard]] virtual float mean_loss() const = 0;

  /// Per-sample losses of the last step: (batch). Empty if the model has no loss.
  [[nodiscard]] virtual std::span<const float> sample_losses() const = 0;

  /// Output of the last step: (batch, outputs), the product, or the derivative.
  [[nodiscard]] virtual std::span<const float> output() const = 0;

  /// Parameters, and gradients of the last training step, in the order of model::parameters. After a step with an
  /// update, gradients are those that the update read: clipped, and the mean over the accumulated steps. With
  /// Settings::moving_moments N.moving_mean and N.moving_variance of each batch normalization N stand behind the
  /// parameters.
  [[nodiscard]] virtual std::vector<model::Tensor> weights() const = 0;
  [[nodiscard]] virtual std::vector<model::Tensor> gradients() const = 0;

  /// Puts weights back (names and shapes as weights(); without any moving moment these are 0 and 1) and clears the
  /// optimizer's state and step count; the learning rate is the model's again. Throws InputError if they do not fit;
  /// then nothing has changed.
  virtual void load(const std::vector<model::Tensor>& weights) = 0;

  /// Learning rate of SGD or Adam from the next step on. Nothing is planned again. Throws InputError if it is negative
  /// or not finite. A session that does not train has none, and nothing changes.
  virtual void set_learning_rate(double learning_rate) = 0;

  /// The state that later steps depend on beside the weights and Settings; empty if the session does not train.
  /// Tensors:
  /// - step (2), int32: low and high half of the count of steps
  /// - learning_rate (1)
  /// - beta_powers (2, 2), int32, with Adam: the bits of beta^updates in double
  /// - first_moment/NAME for each parameter, of its shape, with momentum or Adam
  /// - second_moment/NAME the same, with Adam
  /// - gradient_sum/NAME the same, with Settings::accumulate above 1
  [[nodiscard]] virtual std::vector<model::Tensor> optimizer_state() const = 0;

  /// Puts weights and optimizer_state() back: the steps that follow have the bits of a session that was never
  /// interrupted, if model, Settings and kernels are the same. Throws InputError naming the tensor of `weights` or
  /// `state` that is missing, does not fit or belongs to no such session; then nothing has changed.
  virtual void restore(const std::vector<model::Tensor>& weights, const std::vector<model::Tensor>& state) = 0;

  /// From the next step on gradients are summed with those of Settings::ranks sessions; the mean loss is that of all.
  /// The arena is exchange_arena(). A step throws exchange::ExchangeFailed if another rank does not come within
  /// `patience_seconds`; the session is of no use afterwards. Until then, and with one rank, steps are this rank's own:
  /// what they would be if exchanging took no time. The communicator outlives the session.
  virtual void join(exchange::Communicator& communicator, double patience_seconds) = 0;

  /// The same on devices: the group sums, and a rank that does not come is a DeviceError, of steps or of what waits for
  /// them.
  virtual void join(DeviceGroup& group) = 0;

  /// Time that all steps so far spent between their own gradients and the sums of all ranks.
  [[nodiscard]] virtual double exposed_exchange_seconds() const = 0;

  /// How the ranks came to the buckets of the steps since the last call, or since join(). Empty with one rank.
  virtual exchange::Arrivals take_arrivals() = 0;

  [[nodiscard]] virtual const PlanInfo& plan() const = 0;
};

/// In which the sessions of Settings::ranks exchange what they sum in a training step, on processors: sums of
/// BatchStatistics::batch, gradients from the last layer on, moving moments of BatchStatistics::shard
/// (Settings::moving_moments) as one tensor, and the loss. With an optimizer state that is sharded each rank shows
/// weights of its own slices, in trainings to an end (Settings::moving_moments) also the optimizer's moments: only
/// these are saved. `settings` are those of any rank. Throws InputError for what the engine lacks.
exchange::Arena exchange_arena(const model::Model& model, const Settings& settings);

/// Builds a session on a backend, which outlives it and serves no other one meanwhile. Throws InputError for a layer,
/// loss or activation the engine lacks (naming it), std::bad_alloc if memory does not suffice.
std::unique_ptr<Session> make_session(const model::Model& model, const std::vector<model::Tensor>& weights,
                                      const Settings& settings, Backend& backend);

}  // namespace regatta::engine
