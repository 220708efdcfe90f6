// The engines of the half-fake cuDNN. Each sums in an order of its own; some are not what fp32 or determinism asks for,
// some want workspace, some fail late: as real ones do.
#pragma once

#include "support/cuda/cudnn/problem.hpp"

namespace regatta::cuda_fakes::cudnn {

/// Their global indices.
enum Engine : std::int64_t {
  kPlain,           ///< fallback of the heuristics; slow
  kTiled,           ///< a knob for the tile, which sets the order of sums and the workspace; the fastest for fp32
  kAtomic,          ///< sums in another order each time, and says so; wants some bytes of workspace
  kTensorCore,      ///< fp32 operands are rounded to tf32; bf16 ones where channels and filters are multiples of 8
  kDownConverting,  ///< fp32 operands are rounded to bf16
  kWinograd,        ///< less exact
  kFft,             ///< less exact
  kNoPlan,          ///< refuses when a plan is made
  kLargeWorkspace,  ///< a GiB and more
  kFailing,         ///< refuses when it is run
  kReducedSums,     ///< bf16 sums
  kEngines
};

/// An engine with its knobs.
struct Configuration {
  std::int64_t engine = 0;
  std::int64_t tile = 0;  ///< kTiled only: 0 to 2
};

std::vector<cudnnBackendNumericalNote_t> notes_of(std::int64_t engine);
std::int64_t workspace_of(const Configuration& configuration, const Problem& problem);
double seconds_of(const Configuration& configuration, const Problem& problem);

/// The proposals of a mode's heuristics, the best first.
std::vector<Configuration> proposals(cudnnBackendHeurMode_t mode, const Problem& problem);

/// The graph's convolution.
Problem problem_of_graph(const Descriptor& graph);
/// The engine and knobs of a finalized configuration.
Configuration configuration_of(const Descriptor& configuration);
Problem problem_of_configuration(const Descriptor& configuration);

Answer check_engine(const Descriptor& engine);
Answer check_heuristics(const Descriptor& heuristics);
Answer check_configuration(const Descriptor& configuration);
Answer check_plan(const Descriptor& plan);

}  // namespace regatta::cuda_fakes::cudnn
