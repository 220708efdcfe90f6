"""Times the first calls of two TensorFlow functions in one process, in the order that the arguments name.

usage: first_calls.py matmul gradient | first_calls.py gradient matmul
Prints one JSON object: seconds of each.
"""

import json
import sys
import time

import tensorflow as tf

ROWS = 1000
if tf.__version__ < "2":
    tf.compat.v1.enable_v2_behavior()


def matmul() -> float:
    a = tf.random.uniform((ROWS, ROWS), seed=1)
    return float(tf.linalg.matmul(a, a)[0, 0])


def gradient() -> float:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    return float(tape.gradient(y, x))


def main() -> None:
    functions = {"matmul": matmul, "gradient": gradient}
    seconds = {}
    for name in sys.argv[1:]:
        begin = time.perf_counter()
        functions[name]()
        seconds[name] = time.perf_counter() - begin
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
