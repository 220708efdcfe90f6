"""The engine `tensorflow`. Its variables are set here, before any module of it imports TensorFlow or Keras."""

import os

from .installed import keep_compiled

# Read when TensorFlow or Keras is imported.
os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")
keep_compiled(os.environ)
