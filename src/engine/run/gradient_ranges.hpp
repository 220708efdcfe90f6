// Tells which part of the flat gradient arena backward has completed, so that an exchange can start early.
#pragma once

#include "engine/run/executor.hpp"

namespace regatta::engine {

class GradientRanges {
 public:
  explicit GradientRanges(const ExecutorContext& context) : context_(context) {}

  /// Whether somebody listens; if not, nothing else here needs to be called.
  [[nodiscard]] bool wanted() const { return static_cast<bool>(context_.settings.gradient_ready); }

  /// Whether somebody is told after the operation; asked of all of a step, in their order.
  [[nodiscard]] bool completes(const Op& op);

  void begin_step() { completed_bytes_ = 0; }

  /// After the operation ran: calls Settings::gradient_ready with the range that it completed, if any.
  void report(const Op& op);

 private:
  /// Where in the arena the last gradient that this operation writes ends.
  [[nodiscard]] std::int64_t end_bytes(const Op& op) const;
  /// Whether a cut lies between what was told, and what is completed now.
  [[nodiscard]] bool passes_cut(std::int64_t told_bytes, std::int64_t end_bytes) const;

  ExecutorContext context_;
  std::int64_t completed_bytes_ = 0;  ///< bytes that a listener was told of, in this step
  std::int64_t planned_bytes_ = 0;    ///< the same, of the operations that were asked for
};

}  // namespace regatta::engine
