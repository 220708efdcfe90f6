// The backend of ordinary processors: memory, threads, instruction sets.
#pragma once

#include <immintrin.h>

#include <memory>

#include "engine/cpu/kernels/kernel_table.hpp"
#include "regatta/engine/backend.hpp"
#include "regatta/engine/cpu_backend.hpp"

namespace regatta::engine {

// Numbers too small for full precision: a processor takes a hundred times as long for each, and gradients that vanish
// on their way back through a sequence are full of them.

/// While it lives, this thread reads and writes zero in place of such numbers (less than 1.2e-38). TensorFlow and XLA
/// compute so, too.
class FlushDenormals {
 public:
  FlushDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kFlush); }
  ~FlushDenormals() { _mm_setcsr(before_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  static constexpr unsigned kFlush = 0x8040;  // results to zero, operands as zero
  unsigned before_;
};

}  // namespace regatta::engine

namespace regatta::engine::cpu {

// isa.cpp: The kernels that this processor can run.

/// Whether processor and operating system support the instruction set; `automatic` always.
bool supported(Isa isa);

/// Whether processor and operating system have tile registers that multiply bf16; asks the system for their use.
bool supports_tiles();

/// The kernels of this instruction set; of the best supported one for `automatic`. Throws InputError
/// if it is not supported.
const KernelTable& kernels_for(Isa isa, Precision precision = Precision::fp32);

// parallel.cpp: Splitting a call among threads. The only file of the engine that knows oneTBB.

class Parallel {
 public:
  /// An arena of `threads` threads, the caller among them; oneTBB gives no more than this process has cores.
  explicit Parallel(int threads);
  ~Parallel();

  /// Runs all units of the call, at least `grain` of them by one thread.
  void run(const Call& call);

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace regatta::engine::cpu
