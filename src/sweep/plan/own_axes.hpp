// Axes that a sweep makes itself: who reads them, and where their values go.
#pragma once

#include <string>
#include <vector>

#include "regatta/model/places.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// Whether the axis is a place in a model: `layers.0.dense`, `optimizer.learning_rate`, `args.width`.
bool is_place(const Param& param);

/// Whether the program or the model of these parameters reads the axis.
bool reads_own(const Sweep& sweep, const Parameters& parameters, const model::Model* model, const Param& param);

/// What the axes of these parameters give to places in their model.
std::vector<model::PlacedValue> placed_values(const Parameters& parameters);

/// The program with `{n}` in its arguments replaced, `{{n}}` by the text {n}, and its values as variables: REGATTA_N,
/// and all of them as JSON in REGATTA_PARAMETERS.
Command with_values(Command command, const Parameters& parameters);

}  // namespace regatta::sweep
