// What a training sweep found, as JSON.
#pragma once

#include "report/export/json_values.hpp"
#include "report/findings/view.hpp"

namespace regatta::report {

/// Null for a sweep that trains nothing (docs/results.md).
Json learning_object(const View& view);

}  // namespace regatta::report
