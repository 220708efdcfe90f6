// The work that a training step in shards does once. Before the shards it is counted, and after them it updates the
// parameters: all of them, or this rank's slices.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/run/optimizer_slices.hpp"
#include "engine/run/rank_exchange.hpp"
#include "engine/run/step.hpp"

namespace regatta::engine {

class ParameterUpdate {
 public:
  /// `parts` are those of the context's program, which is that of a shard. Throws std::bad_alloc.
  ParameterUpdate(const StepContext& context, const StepParts& parts);
  ParameterUpdate(const ParameterUpdate&) = delete;
  ParameterUpdate& operator=(const ParameterUpdate&) = delete;

  /// From the next step on updates read sums over all ranks. The exchange outlives this.
  void join(RankExchange& exchange);

  /// Whether updates read the sums of gradients where the exchange has them, so that nothing needs to copy them.
  [[nodiscard]] bool reads_sums() const { return reads_sums_; }

  /// Advances StepState. Comes before the shards, with the same `updates` as run().
  void count(bool updates);

  /// Updates the parameters, or only adds the gradients to those of the steps before. With slices that are exchanged it
  /// throws exchange::ExchangeFailed if another rank does not show its weights.
  void run(bool updates);

  /// Clips all gradients of the last step, where its update clipped those of its own slices alone.
  void clip_all();

  /// Returns the slices of the parameters that this rank updates; null if it updates all parameters.
  [[nodiscard]] OptimizerSlices* slices() { return slices_ ? &*slices_ : nullptr; }
  [[nodiscard]] const OptimizerSlices* slices() const { return slices_ ? &*slices_ : nullptr; }

  // These return what Step does, without the update of the slices.
  [[nodiscard]] std::int64_t temporary_bytes() const;
  [[nodiscard]] std::int64_t calls() const;

 private:
  /// The operations before and after the shards, with their executors.
  struct Operations {
    Program count, update;
    std::unique_ptr<Executor> count_executor, update_executor;
  };

  void make_executors(Operations& operations);
  void read_sums_in_place(RankExchange& exchange);
  [[nodiscard]] const Operations& operations(bool updates) const { return updates ? updating_ : *accumulating_; }

  const StepContext context_;
  Settings settings_;                      ///< a shard's
  std::optional<OptimizerSlices> slices_;  ///< these update the parameters in place of `updating_`
  Operations updating_;
  std::optional<Operations> accumulating_;  ///< in steps that make no update
  RankExchange* exchange_ = nullptr;        ///< null while this rank's sums are its own
  bool reads_sums_ = false;
  Settings sums_settings_;             ///< for an update that reads sums in place
  std::vector<void*> sums_addresses_;  ///< its buffers
  bool is_clipped_ = true;             ///< the last step's gradients, all of them
};

}  // namespace regatta::engine
