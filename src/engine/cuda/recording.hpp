// Calls as a CUDA graph: captured when they are first replayed, once for each set of operands that is fed.
#pragma once

#include <span>
#include <vector>

#include "engine/cuda/device/handles.hpp"
#include "engine/cuda/issuer.hpp"

namespace regatta::engine::cuda {

/// Captures what `issue` puts into the stream. Throws what it throws; the stream is no longer captured then.
Graph capture(cudaStream_t stream, const std::function<void()>& issue);

std::size_t node_count(cudaGraph_t graph);

class GraphRecording final : public Recording {
 public:
  /// With `is_emptied` the graph has as many nodes, which compute nothing.
  GraphRecording(std::span<const Call> calls, bool is_emptied);

  void set_operand(std::size_t index, int operand, void* memory) override;

  /// Issues the graph of the operands as they are. Returns the time that making it took, 0 where it was there. Throws
  /// DeviceError.
  double launch(const Issuer& issuer) const;

 private:
  /// An operand that is fed, and the graphs that know some of its memories.
  struct Fed {
    std::size_t call;
    std::size_t operand;
    void* memory;
  };
  struct Captured {
    std::vector<void*> fed;
    GraphExec graph;
  };

  [[nodiscard]] bool holds(const Captured& captured) const;
  struct Found {
    cudaGraphExec_t graph;
    double made_seconds = 0;  ///< capturing and instantiating, where it was new
  };
  [[nodiscard]] Found find(const Issuer& issuer) const;
  [[nodiscard]] Graph capture_calls(const Issuer& issuer) const;

  std::vector<Call> calls_;
  bool is_emptied_;
  std::vector<Fed> fed_;
  mutable std::vector<Captured> captured_;     ///< the oldest first
  mutable cudaGraphExec_t current_ = nullptr;  ///< for the operands as they are; null: to be found
};

}  // namespace regatta::engine::cuda
