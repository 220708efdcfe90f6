// The kinds of steps that a session takes: the whole batch at once, the batch in shards on a processor, or this rank's
// part of a batch on a device. The session holds one Step and never asks which kind it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/ir/program.hpp"
#include "engine/run/executor.hpp"
#include "engine/run/storage.hpp"
#include "regatta/engine/backend.hpp"
#include "regatta/exchange/arrivals.hpp"
#include "regatta/exchange/communicator.hpp"
#include "regatta/model/tensors.hpp"

namespace regatta::engine {

constexpr std::size_t floats_of(std::int64_t bytes) { return static_cast<std::size_t>(bytes) / sizeof(float); }

/// A program with its memory and its settings, on which every kind of step works. They outlive the step.
struct StepContext {
  const Program& program;  ///< for the whole batch, or for one shard where the step has several
  const Storage& storage;
  Backend& backend;
  const Settings& settings;  ///< the session's

  /// Returns the memory of the first buffer of this role, which is where the role's flat arena begins if it has one;
  /// null if the program has no such buffer or its memory is not the storage's.
  [[nodiscard]] void* find(Role role) const;

  /// Returns the storage's addresses, but with each gradient at `place(begin)`, where `begin` is the gradient's first
  /// float in the flat arena.
  template <class Place>
  [[nodiscard]] std::vector<void*> with_gradients(const Place& place) const {
    std::vector<void*> addresses = storage.addresses();
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      if (program.buffers[i].role == Role::gradient) addresses[i] = place(floats_of(program.buffers[i].offset));
    }
    return addresses;
  }

  /// Makes an executor of `part` on the storage's buffers. Both arguments outlive it. Throws std::bad_alloc.
  [[nodiscard]] std::unique_ptr<Executor> executor_of(const Program& part, const Settings& part_settings) const;
};

class Step {
 public:
  explicit Step(const StepContext& context) : context_(context) {}
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  virtual ~Step() = default;

  /// Takes one step on the batch at `inputs`. `updates` is false in a step that only adds its gradients to those of
  /// the steps before it (Settings::accumulate). Throws exchange::ExchangeFailed if another rank does not come.
  virtual void run(const Inputs& inputs, bool updates) = 0;

  /// Returns how many shards the batch of run() consists of. The program counts the elements of one.
  [[nodiscard]] virtual std::int64_t shards() const { return 1; }

  // These return the results of the last step, as Session does.
  [[nodiscard]] virtual float mean_loss() const = 0;
  [[nodiscard]] virtual std::span<const float> sample_losses() const = 0;
  [[nodiscard]] virtual std::span<const float> output() const = 0;

  /// Makes the storage hold the last step's gradients as the update read them: summed over all ranks, and clipped.
  virtual void put_gradients_in_place() {}

  // These save and restore the optimizer's state for Session. By default all of it lies in the storage.

  /// Returns Session::optimizer_state after so many steps.
  [[nodiscard]] virtual std::vector<model::Tensor> optimizer_state(std::int64_t steps) const;
  /// Writes the state back. `step_state` is what checked_state() returned for `state`.
  virtual void restore_optimizer(const StepState& step_state, const std::vector<model::Tensor>& state);
  /// Zeroes the moments that the step keeps outside of the storage.
  virtual void clear_optimizer() {}
  /// Returns the bytes of those moments, without moments in memory that ranks share.
  [[nodiscard]] virtual std::int64_t optimizer_bytes() const { return 0; }

  // These exchange gradients with other ranks, as Session describes it.

  /// Joins the other ranks, on processors or on devices. Throws InternalError where the step has no such ranks.
  virtual void join(exchange::Communicator& communicator, double patience_seconds);
  virtual void join(DeviceGroup& group);
  [[nodiscard]] virtual double exposed_exchange_seconds() const;
  virtual exchange::Arrivals take_arrivals() { return {}; }

  /// Returns the bytes of all temporaries of a step that updates.
  [[nodiscard]] virtual std::int64_t temporary_bytes() const = 0;
  /// Returns the number of prebound calls of such a step, which is 0 in eager mode.
  [[nodiscard]] virtual std::int64_t calls() const = 0;

 protected:
  const StepContext context_;
};

/// The results of a step that leaves them in the storage: each read waits for the backend.
class StoredResults {
 public:
  explicit StoredResults(const StepContext& context);

  /// Returns the mean loss, or 0 if the program has none.
  [[nodiscard]] float mean_loss() const;
  /// Returns the losses: (batch). Empty if the program has none.
  [[nodiscard]] std::span<const float> sample_losses() const;
  /// Returns the output: (batch, outputs). Empty if the program has none.
  [[nodiscard]] std::span<const float> output() const;

 private:
  [[nodiscard]] std::span<const float> view(const void* memory, std::int64_t count) const;

  StepContext context_;
  const void* mean_loss_;
  const void* sample_losses_;
  const void* output_;
};

/// Makes the step that runs the whole program at once: a training step of one rank and one shard, and all other work.
std::unique_ptr<Step> make_whole_step(const StepContext& context);

/// Makes the step that computes gradients shard by shard, sums them over all shards of all ranks, and updates once.
std::unique_ptr<Step> make_sharded_step(const StepContext& context);

/// Makes the step of one of several ranks on devices, which sum their gradients while backward goes on.
std::unique_ptr<Step> make_device_step(const StepContext& context);

}  // namespace regatta::engine
