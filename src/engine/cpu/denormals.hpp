// Numbers too small for full precision: a processor takes a hundred times as long for each, and gradients that vanish
// on their way back through a sequence are full of them.
#pragma once

#include <immintrin.h>

namespace regatta::engine {

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
