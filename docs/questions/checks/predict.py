# python@tensorflow
import timeit
from statistics import median

import keras
import numpy as np
import tensorflow as tf

x = np.random.default_rng(0).standard_normal((1, 28, 28, 1)).astype("float32")
layers = [keras.layers.Conv2D(32, 3, activation="relu"), keras.layers.MaxPooling2D()]
layers += [keras.layers.Conv2D(64, 3, activation="relu"), keras.layers.MaxPooling2D()]
layers += [keras.layers.Flatten(), keras.layers.Dropout(0.5), keras.layers.Dense(10, "softmax")]
model = keras.Sequential(layers)
called = tf.function(lambda batch: model(batch, training=False))


def ms(call, times):
    call()
    return median(timeit.repeat(call, number=times, repeat=5)) / times * 1e3


print("the model called in a tf.function |", ms(lambda: called(x).numpy(), 200))
print("the model called, without one |", ms(lambda: model(x, training=False).numpy(), 100))
print("predict_on_batch |", ms(lambda: model.predict_on_batch(x), 100))
print("predict |", ms(lambda: model.predict(x, verbose=0), 20))
