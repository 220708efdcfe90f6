// The named models, and models written out as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/model/model.hpp"

namespace regatta::json {
struct Cursor;
}

namespace regatta::model {

/// All names that find_model resolves, in the order of docs/reference/sweep-file.md.
std::vector<std::string> model_names();

/// A named model for an input of `length` positions (read by the conv1d models only; see reads_length).
/// Nothing if the name is unknown.
std::optional<Model> find_model(std::string_view name, std::int64_t length);

/// Whether the model of this name depends on `length`.
bool reads_length(std::string_view name);

// A model written out:
//   {"name": "odd", "input": [13],
//    "layers": [{"dense": 29, "activation": "tanh"}, {"dropout": 0.5}, {"dense": 3, "activation": "softmax"}],
//    "loss": "sparse_categorical_crossentropy", "optimizer": {"adam": {"learning_rate": 0.003}}}
// All five keys are needed. A layer is an object with exactly one key that names its kind; its value is the main size.
// Kinds, keys and defaults: layers.hpp.
// Activations: none (default), relu, sigmoid, tanh, softmax. Losses: mse, binary_crossentropy,
// sparse_categorical_crossentropy. Optimizers: {"sgd": {"learning_rate": X, "momentum": 0}},
// {"adam": {"learning_rate": X, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-7}}.
// The other kinds of model: {"name": N, "matmul": SIZE}, {"name": N, "scalar_gradient": true}, {"name": N, "noop":
// true}.
// The user's own (docs/guide/your-model.md): {"python": "my_model.py:build", "batch": "my_model.py:make_batch", "args":
// {}}, or
// {"python": "my_loop.py", "args": {}}. "name" is the file's name without ".py" unless given. A reader of sweeps adds
// "sources" (file: SHA-256 of its text), and "folder" (where relative files start) for the worker.

/// A model written out as above; its shapes must fit each other. Throws InputError with the place of what is wrong.
Model read_model(const json::Cursor& model);

/// The model in a text of its own; `file` is what errors call the text.
Model parse_model(std::string_view json, const std::string& file = "model");

/// The model as JSON that parse_model reads back to an equal model: what workers are sent. Every key is written, so a
/// reader needs no defaults; the same model gives the same text.
std::string to_json(const Model& model);

}  // namespace regatta::model
