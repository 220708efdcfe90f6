# python@tensorflow
import timeit
from statistics import median

import keras
import numpy as np
import tf_keras

x = np.random.default_rng(0).standard_normal((32, 140, 30)).astype("float32")
y = np.zeros((32, 1), "float32")


def ms(call, times):
    call()
    return median(timeit.repeat(call, number=times, repeat=5)) / times * 1e3


for name, library in (("Keras 3", keras), ("Keras 2", tf_keras)):
    layers = library.layers
    model = library.Sequential(
        [
            layers.Conv1D(128, 40, 4, padding="same"),
            layers.GlobalAveragePooling1D(),
            layers.Dropout(0.5),
            layers.Dense(64, "relu"),
            layers.Dense(1, "sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy")
    print(f"{name}, train_on_batch |", ms(lambda m=model: m.train_on_batch(x, y), 40))
