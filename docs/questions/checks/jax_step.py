# python@jax
import timeit
from statistics import median

import jax
import jax.numpy as jnp
import numpy as np


def loss(p, x, y):
    return jnp.mean((jax.nn.relu(x @ p[0] + p[1]) @ p[2] + p[3] - y) ** 2)


@jax.jit
def step(p, x, y):
    return jax.tree.map(lambda w, g: w - 0.01 * g, p, jax.grad(loss)(p, x, y))


def ms(call, times):
    call()
    return median(timeit.repeat(call, number=times, repeat=5)) / times * 1e3


r = np.random.default_rng(0)
for rows in (32, 1000):
    p = [jnp.array(r.standard_normal(n), "float32") for n in ((10, 50), 50, (50, 1), 1)]
    x, y = jnp.array(r.standard_normal((rows, 10)), "float32"), jnp.zeros((rows, 1))
    print(f"{rows} rows: jax.jit |", ms(lambda: jax.block_until_ready(step(p, x, y)), 500))
    x, y, w = np.asarray(x), np.asarray(y), [np.array(q) for q in p]

    def numpy_step():
        h = np.maximum(x @ w[0] + w[1], 0)
        d = 2 / rows * (h @ w[2] + w[3] - y)
        e = d @ w[2].T * (h > 0)
        for q, g in zip(w, (x.T @ e, e.sum(0), h.T @ d, d.sum(0))):
            q -= 0.01 * g

    print(f"{rows} rows: numpy |", ms(numpy_step, 500))
