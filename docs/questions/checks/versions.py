# python@tensorflow-1.15,tensorflow-2.0,tensorflow-2.1,tensorflow-2.2,tensorflow-2.3,tensorflow-2.11,tensorflow
import os
import timeit
from statistics import median

os.environ["OMP_NUM_THREADS"] = "1"
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from tensorflow.keras import Sequential, layers  # noqa: E402

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)


def ms(call, batches, seconds=1):
    call()
    times = 1 + int(seconds / timeit.timeit(call, number=3) * 3 / 5)
    return median(timeit.repeat(call, number=times, repeat=5)) / times / batches * 1e3


rows = np.random.default_rng(0) if hasattr(np.random, "default_rng") else np.random
mlp = [layers.Dense(50, "relu", input_shape=(10,)), layers.Dense(1)]
conv = [layers.Conv1D(128, 40, 4, padding="same", input_shape=(140, 30))]
conv += [layers.GlobalAveragePooling1D(), layers.Dropout(0.5)]
conv += [layers.Dense(64, "relu"), layers.Dense(1, "sigmoid")]
for name, shape, stack, how in (
    ("10-50-1", (10,), mlp, ("sgd", "mse")),
    ("Conv1D", (140, 30), conv, ("adam", "binary_crossentropy")),
):
    model = Sequential(stack)
    model.compile(*how)
    x = rows.standard_normal((1024, *shape)).astype("float32")
    y = np.zeros((1024, 1), "float32")
    one = x[:32], y[:32]
    print(name, "train_on_batch |", ms(lambda: model.train_on_batch(*one), 1))
    fit = dict(batch_size=32, shuffle=False, verbose=0)
    print(name, "fit |", ms(lambda: model.fit(x, y, **fit), 32))
    print(name, "predict |", ms(lambda: model.predict(one[0], verbose=0), 1))
