// Places in a model as it is written, and models with other values there: what a sweep's axes such as
// `layers.0.dense` reach into.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "regatta/model/model.hpp"

namespace regatta::model {

/// A value for a place: {"layers.0.dense", "128"}.
struct PlacedValue {
  std::string place;
  std::string json;
};

/// Whether the text names a place in some model: keys and positions after `layers.`, `optimizer.` or `args.`, with
/// dots between. The kind of optimizer may be left out: `optimizer.learning_rate`.
bool is_place(std::string_view text);

/// Whether this model has the place. Every key that a layer or an optimizer may have is there, written or not; an
/// argument is where the model's `args` name it.
bool has_place(const Model& model, std::string_view place);

/// The model with these values. Throws InputError where it does not have the place, or would be no model.
Model with_values(const Model& model, const std::vector<PlacedValue>& values);

}  // namespace regatta::model
