// Updates of parameters, for whichever vector header was included first.
#pragma once

#include "engine/cpu/vectors/elementwise_kernel.hpp"

namespace regatta::engine::cpu {
namespace {

void sgd(float* w, const float* g, float* velocity, std::int64_t count, float learning_rate, float momentum,
         float weight_decay) {
  const Vector rate = broadcast(learning_rate);
  const float* step = g;
  if (momentum != 0) {
    combine(velocity, g, velocity, count,
            [momentum](Vector v, Vector grad) { return add(mul(broadcast(momentum), v), grad); });
    step = velocity;
  }
  if (weight_decay == 0) {
    combine(w, step, w, count, [rate](Vector old, Vector s) { return sub(old, mul(rate, s)); });
    return;
  }
  const Vector decay = broadcast(weight_decay);
  combine(w, step, w, count,
          [rate, decay](Vector old, Vector s) { return sub(old, mul(rate, add(s, mul(decay, old)))); });
}

struct AdamVectors {
  Vector rate, root_scale, beta1, beta2, rest1, rest2, epsilon, decay;
};

struct AdamState {
  Vector w, m, v;
};

/// The corrections stand in the rate and before the root: the multipliers are what this waits for. The decay is added
/// to the step, not taken off the weight first: alone it would often be less than half a bit of it. Root and quotient
/// are the exact instructions: estimates are no faster where the divider is as wide as a vector, and differ between
/// processors.
template <bool decays>
inline AdamState adam_step(const AdamVectors& f, Vector w, Vector g, Vector m, Vector v) {
  m = multiply_add(f.rest1, g, mul(f.beta1, m));
  v = multiply_add(f.rest2, mul(g, g), mul(f.beta2, v));
  const Vector scaled = mul(f.rate, m);
  const Vector start = decays ? mul(f.decay, w) : w;
  const Vector moved = sub(start, div(scaled, multiply_add(square_root(v), f.root_scale, f.epsilon)));
  return {decays ? add(w, moved) : moved, m, v};
}

template <bool decays>
inline void adam_all(float* w, const float* g, float* m, float* v, std::int64_t count, const AdamVectors& f) {
  for_vectors(
      count,
      [&](std::int64_t i) {
        const AdamState s = adam_step<decays>(f, load(w + i), load(g + i), load(m + i), load(v + i));
        store(w + i, s.w);
        store(m + i, s.m);
        store(v + i, s.v);
      },
      [&](std::int64_t i, std::int64_t n) {
        const AdamState s = adam_step<decays>(f, load_first(w + i, n), load_first(g + i, n), load_first(m + i, n),
                                              load_first(v + i, n));
        store_first(w + i, n, s.w);
        store_first(m + i, n, s.m);
        store_first(v + i, n, s.v);
      });
}

void adam(float* w, const float* g, float* m, float* v, std::int64_t count, const AdamFactors& factors) {
  const AdamVectors f{broadcast(factors.learning_rate * factors.correction1),
                      square_root(broadcast(factors.correction2)),
                      broadcast(factors.beta1),
                      broadcast(factors.beta2),
                      broadcast(factors.rest1),
                      broadcast(factors.rest2),
                      broadcast(factors.epsilon),
                      broadcast(-factors.learning_rate * factors.weight_decay)};
  if (factors.weight_decay != 0) return adam_all<true>(w, g, m, v, count, f);
  adam_all<false>(w, g, m, v, count, f);
}

}  // namespace
}  // namespace regatta::engine::cpu
