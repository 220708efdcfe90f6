// Values as they stand in every JSON document.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "regatta/base/clean.hpp"
#include "regatta/report/wording.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/results/value_json.hpp"

namespace regatta::report {

using Json = nlohmann::ordered_json;

/// An object whose keys are known to differ: adding does not look for an equal one first.
using Members = Json::object_t;

inline Json optional_number(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

/// Every parameter by name; null where it is not read.
inline Members axis_values(const sweep::Parameters& parameters) {
  Members members;
  members.reserve(sweep::param_count + 32);
  for (const auto& row : sweep::parameter_table())
    members.emplace_back(row.name, results::json_of<Json>(parameters[row.param]));
  if (!parameters.own().empty())  // apart: a name of the sweep's own may be that of a column
    members.emplace_back("own", Json::parse(sweep::own_json(parameters)));
  return members;
}

inline Json metric_object(const sweep::MetricInfo& metric) {
  return Json{{"name", metric.name},
              {"unit", metric.unit},
              {"scale", sweep::name_of(metric.scale)},
              {"better", sweep::name_of(metric.better)},
              {"what", metric.description}};
}

/// The text of an engine need not be UTF-8; JSON must be. Terminals are shown it, too.
inline std::string dumped(const Json& value, int indent = -1) {
  return escaped_json(value.dump(indent, ' ', false, Json::error_handler_t::replace));
}

}  // namespace regatta::report
