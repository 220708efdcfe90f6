// The model that a trial runs.
#pragma once

#include <optional>

#include "regatta/model/model.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// The model that a trial names, or that is written out under this name; nothing if the trial reads none.
std::optional<model::Model> named_model(const Sweep& sweep, const Parameters& parameters);

/// The model of a trial: the named one, with the values that the sweep's own axes give to places in it. Throws
/// InputError where these make no model.
std::optional<model::Model> model_of(const Sweep& sweep, const Parameters& parameters);

}  // namespace regatta::sweep
