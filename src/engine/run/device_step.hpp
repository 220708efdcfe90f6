// A training step of one of several ranks on devices: the gradients of its part of the batch, their sums over all ranks
// bucket by bucket while backward goes on, and the update.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/run/executor.hpp"

namespace regatta::engine {

class DeviceStep {
 public:
  using MakeExecutor = std::function<std::unique_ptr<Executor>(const ExecutorContext&)>;

  /// `program` is that of the rank's part; it, the storage and the backend outlive this.
  DeviceStep(const Program& program, const Storage& storage, Backend& backend, const Settings& settings,
             const MakeExecutor& make_executor);
  DeviceStep(const DeviceStep&) = delete;
  DeviceStep& operator=(const DeviceStep&) = delete;

  /// Session::join.
  void join(DeviceGroup& group);

  void run(const Inputs& inputs);

  /// What a rank's mean loss is multiplied by once it was summed.
  [[nodiscard]] float loss_share() const { return is_joined_ ? 1.0F / static_cast<float>(settings_.ranks) : 1.0F; }

  [[nodiscard]] std::int64_t temporary_bytes() const;
  [[nodiscard]] std::int64_t calls() const;

 private:
  void cut();
  void completed(std::span<const float> range);

  const Program& program_;
  const Storage& storage_;
  Backend& backend_;
  Settings settings_;
  StepParts parts_;
  std::vector<std::int64_t> ends_;  ///< floats of the flat arena at which buckets end
  float* gradients_ = nullptr;      ///< the flat arena
  float* mean_loss_ = nullptr;
  std::unique_ptr<Executor> count_, own_gradients_, update_;
  bool is_joined_ = false;
  std::int64_t written_ = 0;  ///< floats of the arena, by this step's backward pass
  std::size_t next_ = 0;      ///< bucket to be summed next
};

}  // namespace regatta::engine
