# python@tensorflow
import timeit
from statistics import median

import keras
import numpy as np
import tensorflow as tf


def ms(call, times):
    call()
    return median(timeit.repeat(call, number=times, repeat=5)) / times * 1e3


for rows in (32, 1000):
    x = np.random.default_rng(0).standard_normal((rows, 10)).astype("float32")
    y = np.zeros((rows, 1), "float32")
    epoch = np.tile(x, (31, 1)), np.tile(y, (31, 1))
    layers = [keras.Input((10,)), keras.layers.Dense(50, "relu"), keras.layers.Dense(1)]
    model = keras.Sequential(layers)
    model.compile(keras.optimizers.SGD(0.01), "mse")
    mine = keras.models.clone_model(model)
    optimizer = keras.optimizers.SGD(0.01)
    optimizer.build(mine.trainable_variables)

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(mine(x, training=True) - y))
        optimizer.apply_gradients(
            zip(tape.gradient(loss, mine.trainable_variables), mine.trainable_variables)
        )
        return loss

    graph, xla = tf.function(step), tf.function(step, jit_compile=True)
    print(f"{rows} rows: a tf.function of one's own |", ms(lambda: graph(x, y).numpy(), 200))
    print(f"{rows} rows: the same with XLA |", ms(lambda: xla(x, y).numpy(), 200))
    print(f"{rows} rows: train_on_batch |", ms(lambda: model.train_on_batch(x, y), 200))
    if rows == 32:
        print(
            "32 rows: fit, 31 steps a call |", ms(lambda: model.fit(*epoch, 32, verbose=0), 10) / 31
        )
    else:
        print("1000 rows: fit, 1 step a call |", ms(lambda: model.fit(x, y, rows, verbose=0), 10))
        hundred = ms(lambda: model.fit(x, y, rows, epochs=100, verbose=0), 1)
        print("1000 rows: fit(epochs=100), a step |", hundred / 100)
