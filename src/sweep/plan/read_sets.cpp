#include "sweep/plan/read_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "regatta/model/catalogue.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/model_of.hpp"
#include "sweep/parameters/json_text.hpp"
#include "sweep/read/problem.hpp"

namespace regatta::sweep {
namespace {

/// What a model is: a user's file may lie anywhere.
model::Model without_folder(model::Model model) {
  if (auto* user = std::get_if<model::UserModel>(&model)) user->folder.clear();
  return model;
}

std::vector<LevelId> key_of(const PointLevels& levels, const std::vector<Param>& params) {
  std::vector<LevelId> key;
  key.reserve(params.size());
  for (const Param param : params) key.push_back(levels[position(param)]);
  return key;
}

/// The parameters whose rows hold, in order.
template <class Holds>
std::vector<Param> params_where(const Holds& holds) {
  std::vector<Param> params;
  for (const ParamInfo& row : parameter_table()) {
    if (holds(row)) params.push_back(row.param);
  }
  return params;
}

}  // namespace

const std::vector<Param>& reading_params() {
  static const std::vector<Param> params = params_where([](const ParamInfo& candidate) {
    return candidate.param == Param::engine || candidate.param == Param::model ||
           std::ranges::any_of(parameter_table(),
                               [&](const ParamInfo& row) { return row.read_by.where.param == candidate.param; });
  });
  return params;
}

const std::vector<Param>& skipping_params() {
  static const std::vector<Param> params =
      params_where([](const ParamInfo& row) { return row.may_skip || row.engine_levels != nullptr; });
  return params;
}

const Kind& Kinds::kind_at(const PointLevels& levels) {
  const Key key = key_of(levels, reading_params());
  const auto known = kinds_.find(key);
  if (known != kinds_.end()) return known->second;
  return kinds_.emplace(key, make_kind(points_.table().values_at(levels))).first->second;
}

Kind Kinds::make_kind(const Parameters& values) const {
  Kind kind;
  const bool runs_model = reads(values, nullptr, Param::model);
  require_axis(values, runs_model ? Param::model : Param::command);
  const std::optional<model::Model> model = runs_model ? model_of(sweep_, values) : std::nullopt;
  const model::Model* known = model ? &*model : nullptr;
  for (const ParamInfo& row : parameter_table()) kind.read[position(row.param)] = reads(values, known, row.param);
  if (runs_model && sweep_.models.contains(text_of(values, Param::model)))
    kind.written_out = ",\"model_spec\":" + model::to_json(without_folder(*model));
  return kind;
}

void Kinds::require_axis(const Parameters& values, Param param) const {
  if (!std::holds_alternative<std::monostate>(values[param])) return;
  const std::string_view name = info(param).name;
  refuse(place_in(sweep_, "/axes"), {fmt::format("no axis {}", quote(name)),
                                     fmt::format("one (the engine {} needs it)", text_of(values, Param::engine)), ""});
}

std::uint32_t Kinds::skip_at(const PointLevels& levels, const Kind& kind) {
  Key key = key_of(levels, skipping_params());
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (!kind.read[position(skipping_params()[i])]) key[i] = 0;
  }
  const auto known = skips_.find(key);
  if (known != skips_.end()) return known->second;
  const Parameters parameters = parameters_at(levels, kind);
  const auto model = model_of(sweep_, parameters);
  const auto reason = skip_reason(parameters, model ? &*model : nullptr);
  const std::uint32_t number = reason ? number_of(*reason) : 0;
  skips_.emplace(key, number);
  return number;
}

std::uint32_t Kinds::number_of(const std::string& reason) {
  const auto [known, is_new] = number_of_reason_.try_emplace(reason, static_cast<std::uint32_t>(reasons_.size()));
  if (is_new) reasons_.push_back(reason);
  return known->second;
}

Parameters Kinds::parameters_at(const PointLevels& levels, const Kind& kind) const {
  Parameters parameters = points_.table().values_at(levels);
  for (std::size_t i = 0; i < param_count; ++i) {
    if (!kind.read[i]) parameters.values[i] = {};
  }
  return parameters;
}

}  // namespace regatta::sweep
