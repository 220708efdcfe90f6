// What more ranks gain, as JSON.
#pragma once

#include "report/export/json_values.hpp"
#include "report/findings/view.hpp"

namespace regatta::report {

/// One group of trials that differ in ranks and shards (docs/results.md).
Json ranks_object(const View& view, const analysis::RankScaling& group);

}  // namespace regatta::report
