# python@tensorflow
import timeit
from statistics import median

import keras
import numpy as np

x = np.random.default_rng(0).standard_normal((32, 140, 30)).astype("float32")
y = np.zeros((32, 1), "float32")
layers = [keras.layers.Conv1D(128, 40, 4, padding="same"), keras.layers.GlobalAveragePooling1D()]
layers += [
    keras.layers.Dropout(0.5),
    keras.layers.Dense(64, "relu"),
    keras.layers.Dense(1, "sigmoid"),
]


def ms(call, times):
    call()
    return median(timeit.repeat(call, number=times, repeat=5)) / times * 1e3


for name, eager in (("train_on_batch, graph", False), ("train_on_batch, eager", True)):
    model = keras.Sequential(layers)
    model.compile("adam", "binary_crossentropy", run_eagerly=eager)
    print(name, "|", ms(lambda m=model: m.train_on_batch(x, y), 40))
    if not eager:
        print("fit, 1 step a call |", ms(lambda m=model: m.fit(x, y, 32, verbose=0), 20))
        many = (np.tile(x, (32, 1, 1)), np.tile(y, (32, 1)))
        print(
            "fit, 32 steps a call |", ms(lambda m=model, d=many: m.fit(*d, 32, verbose=0), 3) / 32
        )
