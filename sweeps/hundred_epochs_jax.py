"""A whole script as people time it: 100 epochs of 1000 rows at once through a 10-50-1 network in JAX."""

import time

import jax
from jax import numpy as jnp

keys = jax.random.split(jax.random.key(0), 4)
x, y = jax.random.normal(keys[0], (1000, 10)), jax.random.normal(keys[1], (1000, 1))
hidden, output = (
    0.1 * jax.random.normal(keys[2], (10, 50)),
    0.1 * jax.random.normal(keys[3], (50, 1)),
)
weights = {"w1": hidden, "b1": jnp.zeros(50), "w2": output, "b2": jnp.zeros(1)}


def loss_of(w):
    predicted = jax.nn.relu(x @ w["w1"] + w["b1"]) @ w["w2"] + w["b2"]
    return jnp.mean((predicted - y) ** 2)


@jax.jit
def step(w):
    loss, gradients = jax.value_and_grad(loss_of)(w)
    return loss, jax.tree.map(lambda weight, gradient: weight - 0.01 * gradient, w, gradients)


begin = time.perf_counter()
for _ in range(100):
    loss, weights = step(weights)
print(f"loss {float(loss):.3f}, 100 epochs in {time.perf_counter() - begin:.3f} s")
