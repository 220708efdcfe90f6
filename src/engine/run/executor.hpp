// The two ways to run a program. Both issue the same kernels, so they give the same bits.
#pragma once

#include <memory>
#include <vector>

#include "engine/ir/program.hpp"
#include "engine/run/packed_weights.hpp"
#include "engine/run/storage.hpp"
#include "regatta/engine/backend.hpp"

namespace regatta::engine {

/// The caller's batch as the backend reads it.
struct Inputs {
  void* x = nullptr;
  void* y = nullptr;
};

class Executor {
 public:
  virtual ~Executor() = default;
  /// A step, or of one with operations that await sums the next part: to such an operation, or to the step's end.
  virtual void run(const Inputs& inputs) = 0;
  [[nodiscard]] virtual std::int64_t temporary_bytes() const = 0;  ///< memory held for temporaries
  [[nodiscard]] virtual std::int64_t calls() const = 0;            ///< prebound calls; 0 in eager mode
};

/// The context that executors share; all of it outlives them.
struct ExecutorContext {
  const Program& program;
  const std::vector<void*>& addresses;  ///< each buffer has one, as Storage has them
  Backend& backend;
  const Settings& settings;
  /// Packed weights of a program that runs several times before its weights change; graph mode's.
  PackedWeights* packed = nullptr;
};

/// Dispatches operation by operation: checks shapes, takes memory from a caching allocator, binds,
/// issues; a tape recorded during forward drives backward.
std::unique_ptr<Executor> make_eager_executor(const ExecutorContext& context);

/// Plans once (fusion, packed arena), then replays prebound calls.
std::unique_ptr<Executor> make_graph_executor(const ExecutorContext& context);

/// Makes the executor that the settings' mode asks for.
inline std::unique_ptr<Executor> make_executor(const ExecutorContext& context) {
  return context.settings.mode == Mode::eager ? make_eager_executor(context) : make_graph_executor(context);
}

}  // namespace regatta::engine
