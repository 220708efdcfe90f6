# python@jax
import timeit
from statistics import median

import jax
import jax.numpy as jnp
import numpy as np

a, b = np.random.default_rng(0).standard_normal((2, 1000, 1000)).astype("float32")
there = jnp.array(a), jnp.array(b)
product = jax.jit(jnp.matmul)
constant = jax.jit(lambda: jnp.matmul(*there))


def ms(call):
    jax.block_until_ready(call())
    times = timeit.repeat(lambda: jax.block_until_ready(call()), number=20, repeat=7)
    return median(times) / 20 * 1e3


print("jax.jit, operands there |", ms(lambda: product(*there)))
print("jax.jit, operands fed |", ms(lambda: product(a, b)))
print("jax.jit, operands constant |", ms(constant))
