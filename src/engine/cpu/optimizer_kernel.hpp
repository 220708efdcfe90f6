// Updates of parameters, for whichever vector header was included first.
#pragma once

#include "engine/cpu/elementwise_kernel.hpp"

namespace regatta::engine::cpu {
namespace {

void sgd(float* w, const float* g, float* velocity, std::int64_t count, float learning_rate, float momentum) {
  const Vector rate = broadcast(learning_rate);
  const float* step = g;
  if (momentum != 0) {
    combine(velocity, g, velocity, count,
            [momentum](Vector v, Vector grad) { return add(mul(broadcast(momentum), v), grad); });
    step = velocity;
  }
  combine(w, step, w, count, [rate](Vector old, Vector s) { return sub(old, mul(rate, s)); });
}

struct AdamVectors {
  Vector learning_rate, beta1, beta2, rest1, rest2, epsilon, correction1, correction2;
};

struct AdamState {
  Vector w, m, v;
};

inline AdamState adam_step(const AdamVectors& f, Vector w, Vector g, Vector m, Vector v) {
  m = add(mul(f.beta1, m), mul(f.rest1, g));
  v = add(mul(f.beta2, v), mul(f.rest2, mul(g, g)));
  const Vector scaled = mul(f.learning_rate, mul(m, f.correction1));
  const Vector square = mul(v, f.correction2);
  Vector step = quick_quotient(scaled, add(quick_root(square), f.epsilon));
  const Mask doubtful = not_finite(step);
  if (any(doubtful)) step = select(doubtful, div(scaled, add(square_root(square), f.epsilon)), step);
  return {sub(w, step), m, v};
}

void adam(float* w, const float* g, float* m, float* v, std::int64_t count, const AdamFactors& factors) {
  const AdamVectors f{broadcast(factors.learning_rate), broadcast(factors.beta1),      broadcast(factors.beta2),
                      broadcast(factors.rest1),         broadcast(factors.rest2),      broadcast(factors.epsilon),
                      broadcast(factors.correction1),   broadcast(factors.correction2)};
  for_vectors(
      count,
      [&](std::int64_t i) {
        const AdamState s = adam_step(f, load(w + i), load(g + i), load(m + i), load(v + i));
        store(w + i, s.w);
        store(m + i, s.m);
        store(v + i, s.v);
      },
      [&](std::int64_t i, std::int64_t n) {
        const AdamState s =
            adam_step(f, load_first(w + i, n), load_first(g + i, n), load_first(m + i, n), load_first(v + i, n));
        store_first(w + i, n, s.w);
        store_first(m + i, n, s.m);
        store_first(v + i, n, s.v);
      });
}

}  // namespace
}  // namespace regatta::engine::cpu
