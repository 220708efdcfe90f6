// The model that a trial runs.
#pragma once

#include <optional>

#include "regatta/model/model.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// The model of a trial: named or written out; nothing if the trial reads none.
std::optional<model::Model> model_of(const Sweep& sweep, const Parameters& parameters);

}  // namespace regatta::sweep
