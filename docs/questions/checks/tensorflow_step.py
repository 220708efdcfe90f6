# python@tensorflow
import timeit
from statistics import median

import keras
import numpy as np
import tensorflow as tf

x = np.random.default_rng(0).standard_normal((32, 10)).astype("float32")
y = np.zeros((32, 1), "float32")
model = keras.Sequential(
    [keras.Input((10,)), keras.layers.Dense(50, "relu"), keras.layers.Dense(1)]
)
model.compile(keras.optimizers.SGD(0.01), "mse")
mine = keras.models.clone_model(model)
optimizer = keras.optimizers.SGD(0.01)
optimizer.build(mine.trainable_variables)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(mine(x, training=True) - y))
    optimizer.apply_gradients(
        zip(tape.gradient(loss, mine.trainable_variables), mine.trainable_variables)
    )
    return loss


def ms(call, times):
    call()
    return median(timeit.repeat(call, number=times, repeat=5)) / times * 1e3


print("a tf.function of one's own |", ms(lambda: step(x, y).numpy(), 200))
print("train_on_batch |", ms(lambda: model.train_on_batch(x, y), 200))
print(
    "fit, 31 steps a call |",
    ms(lambda: model.fit(np.tile(x, (31, 1)), np.tile(y, (31, 1)), 32, verbose=0), 10) / 31,
)
