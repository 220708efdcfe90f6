"""A network as a Keras model, by Keras 3 or by Keras 2 (tf_keras, or the tf.keras of TensorFlow up to 2.15)."""

from __future__ import annotations

import math
from typing import Any, Callable

import tensorflow as tf

from ... import layers as spec
from ...errors import Unsupported
from ...inputs import Tensors
from .versions import HAS_NEW_OPTIMIZERS, LAST_WITH_KERAS_2, VERSION, rescaling

LAYER_NORM_EPSILON = 1e-3
FUSED_EPSILON = 1.001e-5  # the least of the kernel that normalizes images
CLIP_EPSILON = 1e-6
SAME_AS_TF_KERAS = (2, 4)  # the package keras from this version on, until it became Keras 3


def installed_keras() -> Any:
    """The package keras. Raises Unsupported if there is none, or one that is tf.keras by another name."""
    try:
        import keras
    except ImportError as error:
        raise Unsupported(
            f"api keras is the package keras, which is not in this environment ({error}); use api tf_keras"
        ) from error
    version = tuple(int(part) for part in keras.__version__.split(".")[:2])
    if SAME_AS_TF_KERAS <= version < (3, 0):
        raise Unsupported(
            f"api keras is the package keras, which is tf.keras in this environment ({keras.__version__}); "
            "use api tf_keras"
        )
    return keras


def keras_of(api: str) -> Any:
    """The Keras that `api` names. Raises Unsupported if this environment has another."""
    if api == "keras":
        return installed_keras()
    if api == "tf_keras":
        if VERSION <= LAST_WITH_KERAS_2:
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
        recurrent_activation="sigmoid",  # TensorFlow 1's own default is hard_sigmoid
        return_sequences=layer.return_sequences,
    )


def batch_norm(k: Any, layer: spec.BatchNorm) -> Any:
    """The fused kernel of Keras 2 takes a smaller epsilon for its least one, and says nothing."""
    is_too_small = layer.epsilon < FUSED_EPSILON and hasattr(
        k.BatchNormalization, "_fused_batch_norm"
    )
    kernel = {"fused": False} if is_too_small else {}
    return k.BatchNormalization(momentum=layer.momentum, epsilon=layer.epsilon, **kernel)


def activation_name(activation: str) -> str | None:
    return None if activation == "none" else activation


def keras_layer(keras: Any, layer: spec.Layer, axes: int) -> Any:
    """One layer; `axes` says how many its input has, less the batch and the channels."""
    k = keras.layers
    if isinstance(layer, spec.Dense):
        return k.Dense(layer.units, activation=activation_name(layer.activation))
    if isinstance(layer, (spec.Conv1d, spec.Conv2d)):
        kind = k.Conv1D if isinstance(layer, spec.Conv1d) else k.Conv2D
        return kind(
            layer.filters,
            layer.kernel,
            strides=layer.stride,
            padding=layer.padding,
            activation=activation_name(layer.activation),
        )
    if isinstance(layer, spec.MaxPool):
        return (k.MaxPooling1D, k.MaxPooling2D)[axes - 1](layer.size)
    if isinstance(layer, spec.AveragePool):
        return (k.AveragePooling1D, k.AveragePooling2D)[axes - 1](layer.size)
    if isinstance(layer, spec.GlobalAveragePool):
        return (k.GlobalAveragePooling1D, k.GlobalAveragePooling2D)[axes - 1]()
    if isinstance(layer, spec.Flatten):
        return k.Flatten()
    if isinstance(layer, spec.Dropout):
        return k.Dropout(layer.rate)
    if isinstance(layer, spec.BatchNorm):
        return batch_norm(k, layer)
    if isinstance(layer, spec.LayerNorm):
        if not hasattr(k, "LayerNormalization"):
            raise Unsupported(f"Keras {keras.__version__} has no layer_norm")
        return k.LayerNormalization(epsilon=LAYER_NORM_EPSILON)
    if isinstance(layer, spec.Embedding):
        return k.Embedding(layer.vocabulary, layer.units)
    if isinstance(layer, spec.Lstm):
        return lstm(keras, layer)
    if isinstance(layer, spec.Bidirectional):
        return k.Bidirectional(lstm(keras, layer.inner))
    raise Unsupported(f"tensorflow has no layer {type(layer).__name__}")


# Parameters of a layer in the file, in the order of Keras' weights (its LSTM has the gates i, f, c, o, as the file).
LSTM = ("kernel", "recurrent_kernel", "bias")


PARAMETERS: dict[type[spec.Layer], tuple[str, ...]] = {
    spec.Lstm: LSTM,
    spec.Bidirectional: tuple(f"{way}.{name}" for way in ("forward", "backward") for name in LSTM),
    spec.BatchNorm: ("gamma", "beta"),
    spec.LayerNorm: ("gamma", "beta"),
    spec.Embedding: ("kernel",),
    spec.Dense: ("kernel", "bias"),
    spec.Conv1d: ("kernel", "bias"),
    spec.Conv2d: ("kernel", "bias"),
}


def parameter_names(layer: spec.Layer) -> tuple[str, ...]:
    return PARAMETERS.get(type(layer), ())


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
        x = rescaling(keras, scale)(x)
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
    if not HAS_NEW_OPTIMIZERS:
        return old_adam_class(keras.optimizers)

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


def old_adam_class(optimizers: Any) -> type:
    """The same by an optimizer of Keras 2 up to TensorFlow 2.10, or of `optimizers.legacy` in later ones."""
    if not hasattr(optimizers.Adam, "_prepare_local"):
        return preview_adam_class(optimizers)

    class Adam(optimizers.Adam):
        def _prepare_local(self, device: Any, dtype: Any, apply_state: dict) -> None:
            super()._prepare_local(device, dtype, apply_state)
            state = apply_state[(device, dtype)]
            state["epsilon"] = state["epsilon"] * tf.sqrt(1 - state["beta_2_power"])

    return Adam


def preview_adam_class(optimizers: Any) -> type:
    """The same in TensorFlow 1.14, which reads epsilon anew for each variable."""

    class Adam(optimizers.Adam):
        def _resource_apply_dense(self, *arguments: Any) -> Any:
            return self.with_epsilon(super()._resource_apply_dense, arguments)

        def _resource_apply_sparse(self, *arguments: Any) -> Any:
            return self.with_epsilon(super()._resource_apply_sparse, arguments)

        def with_epsilon(self, apply: Callable, arguments: tuple[Any, ...]) -> Any:
            epsilon = self.epsilon
            count = tf.cast(self.iterations + 1, tf.float32)
            beta_2 = tf.cast(self._get_hyper("beta_2"), tf.float32)
            self.epsilon = epsilon * tf.sqrt(1 - tf.pow(beta_2, count))
            try:
                return apply(*arguments)
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
