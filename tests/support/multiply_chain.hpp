// Work whose amount is known by count: multiplies that each wait for the one before.
#pragma once

#include <cstdint>

namespace regatta::testing {

/// `count` dependent multiplies: count times the latency of one multiply, whatever the compiler or the width of the
/// core. Without -ffast-math no compiler may shorten the chain. Out of line, so that all callers run the same code.
[[gnu::noinline]] inline double multiply_chain(std::int64_t count) {
  volatile double opaque = 1.0 + 1e-12;  // not known at compile time; no product over- or underflows
  const double factor = opaque;
  double product = 1.0;
  for (std::int64_t i = 0; i < count; ++i) product *= factor;
  opaque = product;  // observable
  return product;
}

}  // namespace regatta::testing
