// The backend of ordinary processors: shares the caller's memory, runs calls one after the other.
#pragma once

#include <memory>
#include <string>

#include "regatta/engine/backend.hpp"

namespace regatta::engine {

enum class KernelSet { reference, cpu };

/// Instruction set of the cpu kernels. `automatic` is the best one that the processor has. avx512 and avx2 give the
/// same bits; baseline has no fused multiply-add.
enum class Isa { automatic, avx512, avx2, baseline };

namespace cpu {

/// Settings that only a processor needs.
struct Settings {
  KernelSet kernels = KernelSet::cpu;
  Isa isa = Isa::automatic;       ///< fp32 kernels only
  int threads = 1;                ///< with more than one, large calls are split among a oneTBB arena of that size
  bool empty_kernels = false;     ///< every operation is issued and computes nothing: what is left is dispatch
  double choosing_seconds = 0;    ///< time in which kernels may be chosen by timing, where the file below knows none
  std::string choices_file = {};  ///< keeps what was chosen; of this machine and build. Empty: nothing is kept
};

/// "avx512", "avx2" or "baseline". Throws InputError for anything else.
Isa isa_named(const std::string& name);

/// Throws InputError if the settings cannot be, or this processor lacks the instruction set, or tile registers for
/// bf16.
std::unique_ptr<Backend> make_backend(const Settings& settings = {}, Precision precision = Precision::fp32);

}  // namespace cpu
}  // namespace regatta::engine
