# python@jax
import timeit
from functools import partial
from statistics import median

import jax
import jax.numpy as jnp
import numpy as np


def loss(p, x, y):
    return jnp.mean((jax.nn.relu(x @ p[0] + p[1]) @ p[2] + p[3] - y) ** 2)


@partial(jax.jit, donate_argnums=0)
def step(p, x, y):
    value, gradient = jax.value_and_grad(loss)(p, x, y)
    return jax.tree.map(lambda w, g: w - 0.01 * g, p, gradient), value


def hundred_jax_steps(weights, x, y):
    p = [jnp.array(w) for w in weights]
    for _ in range(100):
        p, value = step(p, x, y)
    jax.block_until_ready((p, value))


def hundred_numpy_steps(weights, x, y):
    w = [w.copy() for w in weights]
    for _ in range(100):
        h = np.maximum(x @ w[0] + w[1], 0)
        difference = h @ w[2] + w[3] - y
        np.vdot(difference, difference) / len(x)
        d = 2 / len(x) * difference
        e = d @ w[2].T * (h > 0)
        for q, g in zip(w, (x.T @ e, e.sum(0), h.T @ d, d.sum(0))):
            q -= 0.01 * g


def ms(call, *arguments):
    call(*arguments)
    return median(timeit.repeat(lambda: call(*arguments), number=5, repeat=5)) / 500 * 1e3


r = np.random.default_rng(0)
weights = [r.standard_normal(n).astype("float32") / 10 for n in ((10, 50), 50, (50, 1), 1)]
for rows in (32, 1000):
    x = r.standard_normal((rows, 10)).astype("float32")
    y = np.zeros((rows, 1), "float32")
    print(f"{rows} rows: jax.jit |", ms(hundred_jax_steps, weights, x, y))
    print(f"{rows} rows: numpy |", ms(hundred_numpy_steps, weights, x, y))
