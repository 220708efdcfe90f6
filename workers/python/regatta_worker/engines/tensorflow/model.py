"""A network as a Keras model, by Keras 3 or by Keras 2 (tf_keras, or the tf.keras of TensorFlow up to 2.15)."""

from __future__ import annotations

import math
from typing import Any

import tensorflow as tf

from ... import layers as spec
from ...errors import Unsupported
from ...inputs import Tensors

NORMALIZATION_EPSILON = 1e-3
CLIP_EPSILON = 1e-6


def keras_of(api: str) -> Any:
    """The Keras that `api` names. Raises Unsupported if this environment has another."""
    if api == "keras":
        import keras

        if keras.__version__.startswith("2."):
            raise Unsupported(
                f"api keras is Keras 3, this environment has keras {keras.__version__}; use api tf_keras"
            )
        return keras
    if api == "tf_keras":
        if tuple(int(part) for part in tf.__version__.split(".")[:2]) <= (2, 15):
            return tf.keras
        try:
            import tf_keras
        except ImportError as error:
            raise Unsupported(f"api tf_keras needs the package tf_keras ({error})") from error
        return tf_keras
    raise Unsupported(f"the engine tensorflow has no api {api} (it has keras, tf_keras)")


def lstm(keras: Any, layer: spec.Lstm) -> Any:
    return keras.layers.LSTM(
        layer.units,
        activation=activation_name(layer.activation),
        return_sequences=layer.return_sequences,
    )


def activation_name(activation: str) -> str | None:
    return None if activation == "none" else activation


def keras_layer(keras: Any, layer: spec.Layer, axes: int) -> Any:
    """One layer; `axes` says how many its input has, less the batch and the channels."""
    k = keras.layers
    match layer:
        case spec.Dense():
            return k.Dense(layer.units, activation=activation_name(layer.activation))
        case spec.Conv1d() | spec.Conv2d():
            kind = k.Conv1D if isinstance(layer, spec.Conv1d) else k.Conv2D
            return kind(
                layer.filters,
                layer.kernel,
                strides=layer.stride,
                padding=layer.padding,
                activation=activation_name(layer.activation),
            )
        case spec.MaxPool(size):
            return (k.MaxPooling1D, k.MaxPooling2D)[axes - 1](size)
        case spec.AveragePool(size):
            return (k.AveragePooling1D, k.AveragePooling2D)[axes - 1](size)
        case spec.GlobalAveragePool():
            return (k.GlobalAveragePooling1D, k.GlobalAveragePooling2D)[axes - 1]()
        case spec.Flatten():
            return k.Flatten()
        case spec.Dropout(rate):
            return k.Dropout(rate)
        case spec.BatchNorm():
            return k.BatchNormalization(epsilon=NORMALIZATION_EPSILON)
        case spec.LayerNorm():
            return k.LayerNormalization(epsilon=NORMALIZATION_EPSILON)
        case spec.Embedding():
            return k.Embedding(layer.vocabulary, layer.units)
        case spec.Lstm():
            return lstm(keras, layer)
        case spec.Bidirectional(inner):
            return k.Bidirectional(lstm(keras, inner))
    raise Unsupported(f"tensorflow has no layer {type(layer).__name__}")


# Parameters of a layer in the file, in the order of Keras' weights (its LSTM has the gates i, f, c, o, as the file).
LSTM = ("kernel", "recurrent_kernel", "bias")


def parameter_names(layer: spec.Layer) -> tuple[str, ...]:
    match layer:
        case spec.Lstm():
            return LSTM
        case spec.Bidirectional():
            return tuple(f"{way}.{name}" for way in ("forward", "backward") for name in LSTM)
        case spec.BatchNorm() | spec.LayerNorm():
            return ("gamma", "beta")
        case spec.Embedding():
            return ("kernel",)
        case spec.Dense() | spec.Conv1d() | spec.Conv2d():
            return ("kernel", "bias")
    return ()


def build(
    keras: Any,
    network: spec.Network,
    tensors: Tensors,
    dropout: bool,
    scale: float | None = None,
) -> Any:
    """A model with the weights of the file, which reads bytes if there is a `scale` of them. Raises Unsupported for a
    layer that Keras lacks."""
    is_index = isinstance(network.layers[0], spec.Embedding)
    kind = "int32" if is_index else "float32" if scale is None else "uint8"
    start = x = keras.Input(network.input, dtype=kind)
    if scale is not None:
        x = keras.layers.Rescaling(scale)(x)
    for index, layer in enumerate(network.layers):
        if isinstance(layer, spec.Dropout) and not dropout:
            continue
        made = keras_layer(keras, layer, len(x.shape) - 2)
        x = made(x)
        given = [tensors[f"{index}.{name}"] for name in parameter_names(layer)]
        made.set_weights(
            given + made.get_weights()[len(given) :]
        )  # batch_norm has moving moments too
    return keras.Model(start, x)


def trainable_names(network: spec.Network) -> list[str]:
    """Names in the file of the model's trainable variables, in Keras' order."""
    return [
        f"{index}.{name}"
        for index, layer in enumerate(network.layers)
        for name in parameter_names(layer)
    ]


def make_optimizer(
    keras: Any,
    options: spec.Sgd | spec.Adam,
    weight_decay: float = 0.0,
    clip_norm: float = 0.0,
    rate_changes: bool = False,
) -> Any:
    """Keras decays the weights before each step, of SGD too, as AdamW does."""
    if isinstance(options, spec.Adam):
        kind = adam_class(keras)
    else:
        own = options.momentum and rate_changes
        kind = momentum_class(keras) if own else keras.optimizers.SGD
    if clip_norm:
        kind = clipped(kind, clip_norm)
    decay = {"weight_decay": weight_decay} if weight_decay else {}
    if isinstance(options, spec.Sgd):
        return kind(options.learning_rate, momentum=options.momentum, **decay)
    return kind(
        options.learning_rate,
        beta_1=options.beta1,
        beta_2=options.beta2,
        epsilon=options.epsilon,
        **decay,
    )


def momentum_class(keras: Any) -> type:
    """Keras sums up gradients times the rate that each had; all other engines sum up gradients, and take the sum times
    the rate that is now. Both are one as long as the rate does not change."""

    class Momentum(keras.optimizers.SGD):
        def update_step(self, gradient: Any, variable: Any, *learning_rate: Any) -> None:
            if hasattr(self, "_get_variable_index"):  # Keras 3
                index = self._get_variable_index(variable)
            else:
                index = self._index_dict[self._var_key(variable)]
            velocity = self.momentums[index]
            velocity.assign(velocity * self.momentum + tf.convert_to_tensor(gradient))
            rate = tf.cast(tf.convert_to_tensor(self.learning_rate), variable.dtype)
            variable.assign(variable - rate * velocity)

    return Momentum


def clipped(kind: type, clip_norm: float) -> type:
    """Keras' own clipping divides by the norm alone; all other engines add 1e-6 to it, as torch does. And it takes
    rows of an embedding's gradient that belong to one word for several."""

    class Clipped(kind):
        def _clip_gradients(self, gradients: Any) -> Any:
            whole = [tf.convert_to_tensor(gradient) for gradient in gradients]
            scale = tf.minimum(1.0, clip_norm / (tf.linalg.global_norm(whole) + CLIP_EPSILON))
            return [gradient * scale for gradient in whole]

    return Clipped


def adam_class(keras: Any) -> type:
    """Keras adds epsilon to the root of the second moment *before* that is corrected for its start at zero, which
    makes epsilon 30 times larger in the first step. Scaling epsilon by the same correction gives algorithm 1 of
    Kingma and Ba, which all other engines compute. By hand it is a number, in a graph one small operation."""

    class Adam(keras.optimizers.Adam):
        def update_step(self, gradient: Any, variable: Any, *learning_rate: Any) -> Any:
            epsilon = self.epsilon
            if tf.executing_eagerly():
                count = int(self.iterations.numpy()) + 1
                self.epsilon = epsilon * math.sqrt(1 - self.beta_2**count)
            else:
                count = tf.cast(tf.convert_to_tensor(self.iterations) + 1, tf.float32)
                self.epsilon = epsilon * tf.sqrt(1 - tf.pow(tf.constant(self.beta_2), count))
            try:
                return super().update_step(gradient, variable, *learning_rate)
            finally:
                self.epsilon = epsilon

    return Adam


def losses_of(keras: Any, loss: str) -> tuple[Any, Any]:
    """The loss that trains, and the function that gives it of each sample."""
    return {
        "mse": (keras.losses.MeanSquaredError, keras.losses.mean_squared_error),
        "binary_crossentropy": (keras.losses.BinaryCrossentropy, keras.losses.binary_crossentropy),
        "sparse_categorical_crossentropy": (
            keras.losses.SparseCategoricalCrossentropy,
            keras.losses.sparse_categorical_crossentropy,
        ),
    }[loss]
