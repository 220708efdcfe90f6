// An arm that is a model inside a worker.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measuring/process_arm.hpp"

namespace regatta::launcher {

/// One of the ranks that share an arm, or all of it.
class WorkerOfArm : public ProcessArm {
 public:
  /// After prepare() or renew(), of one of several ranks: path of what its process offers to the others.
  [[nodiscard]] virtual const std::string& member() const = 0;

  /// The same: protocol::Prepared::arithmetic.
  [[nodiscard]] virtual const std::string& arithmetic() const = 0;

  /// Sums gradients with the others from the next step on. Throws as prepare().
  virtual void join(const std::vector<std::string>& members, const std::string& stop) = 0;

  /// Has its process, rank 0 of a loop, start with these variables, and be given up as soon as that is asked for.
  virtual void lead(std::map<std::string, std::string> variables, std::function<bool()> is_given_up) = 0;

  /// The process, once it has begun.
  [[nodiscard]] virtual std::optional<WorkerId> process() const = 0;

  /// Where a run is kept between its legs: named by all that its weights depend on.
  [[nodiscard]] virtual std::filesystem::path checkpoint_of(const measure::TrainRequest& request) const = 0;

  /// train() with the checkpoint of another rank's agent.
  virtual sweep::Learned train_from(const std::filesystem::path& checkpoint, const measure::TrainRequest& request) = 0;
};

/// `task` outlives the arm.
std::unique_ptr<WorkerOfArm> make_worker_arm(AgentSlot& slot, const sweep::ArmTask& task, ArmPlace place);

}  // namespace regatta::launcher
