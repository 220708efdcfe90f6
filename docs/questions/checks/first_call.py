# python@tensorflow
import subprocess
import sys

CODE = """
import sys, time, tensorflow as tf
def product():
    a = tf.random.uniform((1000, 1000))
    return float(tf.matmul(a, a)[0, 0])
def gradient():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape: y = x * x
    return float(tape.gradient(y, x))
for name in sys.argv[1:]:
    begin = time.perf_counter(); globals()[name](); print(name, (time.perf_counter() - begin) * 1e3)
"""

for order in (["product", "gradient"], ["gradient", "product"]):
    done = subprocess.run([sys.executable, "-c", CODE, *order], stdout=subprocess.PIPE, text=True)
    for place, line in zip(("first", "second"), done.stdout.splitlines()):
        name, milliseconds = line.split()
        print(f"{name}, as the {place} call |", milliseconds)
