// Multiply-adds that nothing holds up: what a core can do at most.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace regatta::worker {

/// A loop of independent fp32 fused multiply-adds in registers.
struct FmaLoop {
  std::string_view isa;  ///< "avx512" | "avx2"
  double flop_per_turn;
  float (*run)(std::int64_t turns);  ///< the result only keeps the compiler from leaving the work out
};

/// The widest loop of this processor; nothing where we know none (before AVX2, or another architecture): what it can
/// do at most is then unknown.
std::optional<FmaLoop> widest_fma_loop();

}  // namespace regatta::worker
