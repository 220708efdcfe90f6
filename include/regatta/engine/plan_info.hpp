// Facts of a session's plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace regatta::engine {

/// The results and costs of planning.
struct PlanInfo {
  double plan_seconds = 0;
  std::uint64_t arena_bytes = 0;     ///< memory for temporaries: the arena, or what eager's allocator holds
  std::uint64_t state_bytes = 0;     ///< memory that outlives a step: parameters, gradients, the optimizer's moments
  std::int64_t eager_ops = 0;        ///< kernels issued by one eager step
  std::int64_t graph_calls = 0;      ///< prebound calls replayed by one graph step; 0 in eager mode
  std::string isa;                   ///< instruction set of the kernels used: "avx512", "avx2", "baseline", "reference"
  double choosing_seconds = 0;       ///< part of plan_seconds: choosing kernels
  double graph_seconds = 0;          ///< making a device's graphs ready, in the steps so far
  std::vector<std::string> choices;  ///< chosen kernels, for operations with more than one way
};

}  // namespace regatta::engine
