#include "regatta/sweep/model_of.hpp"

#include <fmt/format.h>

#include "regatta/base/error.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/model/places.hpp"
#include "sweep/plan/plan.hpp"

namespace regatta::sweep {

std::optional<model::Model> named_model(const Sweep& sweep, const Parameters& parameters) {
  const auto* name = std::get_if<std::string>(&parameters[Param::model]);
  if (name == nullptr) return std::nullopt;
  const auto written_out = sweep.models.find(*name);
  if (written_out != sweep.models.end()) return written_out->second;
  const auto* length = std::get_if<std::int64_t>(&parameters[Param::length]);
  auto model =
      model::find_model(*name, length != nullptr ? *length : std::get<std::int64_t>(info(Param::length).fallback));
  if (!model) throw InternalError(fmt::format("model '{}' was not checked", *name));
  return model;
}

std::optional<model::Model> model_of(const Sweep& sweep, const Parameters& parameters) {
  std::optional<model::Model> model = named_model(sweep, parameters);
  if (!model) return model;
  const std::vector<model::PlacedValue> placed = placed_values(parameters);
  return placed.empty() ? model : model::with_values(*model, placed);
}

}  // namespace regatta::sweep
