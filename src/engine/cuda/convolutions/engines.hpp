// The engines of cuDNN that may compute a convolution, and their knobs.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/cuda/convolutions/operation_graph.hpp"

namespace regatta::engine::cuda {

struct Knob {
  std::int32_t type;  ///< cudnnBackendKnobType_t
  std::int64_t value;
  bool operator==(const Knob&) const = default;
};

/// The values that tell an engine's configuration among all of one graph. It gives the same bits each time, if the
/// engine is deterministic.
struct EngineChoice {
  std::int64_t engine = 0;  ///< the library's global index
  std::vector<Knob> knobs;
  bool operator==(const EngineChoice&) const = default;
};

/// A choice made ready for plans.
struct EngineConfiguration {
  std::deque<Descriptor> parts;
  Descriptor configuration;
  EngineChoice choice;
  std::uint32_t notes = 0;  ///< bit n: numerical note n; 31: one that has no name here
};

/// The proposals of the library's heuristics, the best first. Throws CudnnRefusal.
std::vector<EngineChoice> proposals(const CudnnLibrary& library, const OperationGraph& graph,
                                    cudnnBackendHeurMode_t mode);

/// Throws CudnnRefusal where the library has no such engine for the graph.
EngineConfiguration make_configuration(const CudnnLibrary& library, const OperationGraph& graph,
                                       const EngineChoice& choice);

/// Whether the arithmetic is what the precision says. Products of spectra and of tiles (FFT, Winograd) are never:
/// they are less work than what is counted, and another algorithm than the one that is measured. fp32 is neither
/// rounded to tf32 nor summed on tensor cores.
bool fits(std::uint32_t notes, Precision precision, bool deterministic);

}  // namespace regatta::engine::cuda
