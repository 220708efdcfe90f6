// The algorithms that the fake cuBLASLt offers. Each adds the terms of a sum in an order of its own, so that results
// tell by their bits which one computed them.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <vector>

#include "support/cuda/cublaslt/problem.hpp"

namespace regatta::cuda_fakes::lt {

/// The behaviour of each algorithm when it runs with an epilogue. Asked whether it takes one (cublasLtMatmulAlgoCheck),
/// each says yes. An H200 was seen to keep the bits with all of its algorithms: the engine does not rely on that.
enum class SumOrder : std::int32_t {
  ascending,    ///< keeps the bits, but refuses epilogues of every other problem
  split,        ///< four parts, added at the end; wants workspace; refuses epilogues
  descending,   ///< keeps the bits; its relu makes no number to zero
  blocks,       ///< sixteen terms each; begins with the bias, which gives other bits
  short_blocks  ///< eight terms each; keeps the bits; named only to those who ask for an epilogue
};

/// The contents of an opaque cublasLtMatmulAlgo_t.
struct Algorithm {
  std::uint64_t mark;
  std::uint64_t problem;  ///< digest of the problem that it was chosen for, epilogue aside
  std::uint64_t workspace_bytes;
  SumOrder order;
  std::int32_t id;
  std::uint8_t alignments[4];  ///< bytes (256: 0) that the operands were said to have
};
static_assert(sizeof(Algorithm) <= sizeof(cublasLtMatmulAlgo_t));

/// As the heuristics sort them: by a digest of the problem, so that none is first everywhere.
std::vector<Algorithm> algorithms_for(const Problem& problem, const Preference& preference);

/// Reads the opaque struct, where it is one of the fake's.
bool read(const cublasLtMatmulAlgo_t& opaque, Algorithm& algorithm);
cublasLtMatmulAlgo_t opaque_of(const Algorithm& algorithm);

/// Whether it is one for this problem, whatever the epilogue.
Refusal refusal_of(const Algorithm& algorithm, const Problem& problem);

/// Whether it runs with the problem's epilogue.
Refusal refusal_when_run(const Algorithm& algorithm, const Problem& problem);

std::uint32_t scheme_of(const Algorithm& algorithm);
std::uint32_t alignment_of(const Algorithm& algorithm, std::size_t operand);

/// On the emulated clock: which one is the fastest depends on the problem.
double seconds_of(const Algorithm& algorithm, const Problem& problem);

}  // namespace regatta::cuda_fakes::lt
