#include "sweep/plan/read_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "regatta/base/error.hpp"
#include "regatta/json/text.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/model_of.hpp"
#include "regatta/sweep/reader.hpp"
#include "sweep/plan/plan.hpp"
#include "sweep/read/own_axes.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

/// The model without its folder: a user's file may lie anywhere.
model::Model without_folder(model::Model model) {
  if (auto* user = std::get_if<model::UserModel>(&model)) user->folder.clear();
  return model;
}

bool learns(const model::Model& model) {
  return std::holds_alternative<model::Network>(model) || std::holds_alternative<model::UserModel>(model);
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
    return candidate.param == Param::engine || candidate.param == Param::model || candidate.param == Param::input ||
           candidate.param == Param::ranks || candidate.param == Param::shards ||
           std::ranges::any_of(parameter_table(), [&](const ParamInfo& row) {
             return std::ranges::count(row.read_by.where, candidate.param, &ReadBy::Condition::param) > 0;
           });
  });
  return params;
}

const std::vector<Param>& skipping_params() {
  static const std::vector<Param> params =
      params_where([](const ParamInfo& row) { return row.may_skip || row.engine_levels != nullptr; });
  return params;
}

Kinds::Kinds(const Sweep& sweep) : sweep_(sweep), read_by_(reading_params()), skipped_by_(skipping_params()) {
  for (const Param& param : axis_params(sweep)) {
    if (param.is_own()) own_.push_back(param);
  }
  if (!own_.empty() || !sweep.commands.empty()) read_by_.emplace_back(Param::command);
  std::ranges::copy_if(own_, std::back_inserter(skipped_by_), is_place);
}

const Kind& Kinds::kind_at(const Point& point) {
  make_key(key_, point.values, read_by_);
  const auto [entry, is_new] = kinds_.try_emplace(key_);
  if (is_new) entry->second = make_kind(point.values);
  return entry->second;
}

namespace {

/// A row that the program has in braces or names, beside workers that read it, too; and the device that the sweep gives
/// it, which decides what its slot needs and what it sees.
bool is_read_by_program(const Sweep& sweep, const Parameters& values, const ParamInfo& row) {
  const std::string name(row.name);
  if (row.param == Param::device) return has_axis(sweep, row.param);
  const Command& command = sweep.commands.at(text_of(values, Param::command));
  return may_be_shared(row.param) && !sweep.own_rows.contains(name) && command.reads.contains(name);
}

/// Whether it asks for several ranks of a loop that does not say how they start.
bool is_loop_of_one(const Sweep& sweep, const Parameters& parameters, const std::optional<model::Model>& model) {
  if (integer_or(parameters, Param::ranks, 1) == 1) return false;
  if (!model || !std::holds_alternative<model::UserModel>(*model)) return false;
  const std::string name(split_engine(text_of(parameters, Param::engine)).environment);
  const auto found = sweep.environments.find(name);
  return found != sweep.environments.end() && !found->second.program.empty() && found->second.launch == Launch::once;
}

}  // namespace

Kind Kinds::make_kind(const Parameters& values) const {
  Kind kind;
  const bool runs_model = reads(values, nullptr, Param::model);
  require_axis(values, runs_model ? Param::model : Param::command);
  const std::optional<model::Model> model = runs_model ? named_model(sweep_, values) : std::nullopt;
  const model::Model* known = model ? &*model : nullptr;
  const InTask other = sweep_.task == Task::train ? InTask::benchmark : InTask::train;
  for (const ParamInfo& row : parameter_table())
    kind.read.set(row.param, row.in_task != other && (reads(values, known, row.param) ||
                                                      (!runs_model && is_read_by_program(sweep_, values, row))));
  for (const Param& param : own_) kind.read.set(param, reads_own(sweep_, values, known, param));
  if (runs_model && sweep_.models.contains(text_of(values, Param::model)))
    kind.written_out = ",\"model_spec\":" + model::to_json(without_folder(*model));
  return kind;
}

void Kinds::require_axis(const Parameters& values, const Param& param) const {
  if (!std::holds_alternative<std::monostate>(values[param])) return;
  const std::string_view name = name_of(param);
  json::refuse(place_in(sweep_, "/axes"),
               {fmt::format("no axis {}", json::quote(name)),
                fmt::format("one (the engine {} needs it)", text_of(values, Param::engine)), ""});
}

const std::optional<std::string>& Kinds::skip_of(const Parameters& parameters) {
  make_key(key_, parameters, skipped_by_);
  const auto [entry, is_new] = skips_.try_emplace(key_);
  if (is_new) entry->second = why_skipped(parameters);
  return entry->second;
}

std::optional<std::string> Kinds::why_skipped(const Parameters& parameters) const {
  std::optional<model::Model> model;
  try {
    model = model_of(sweep_, parameters);
  } catch (const InputError& error) {
    return std::string("the model cannot be built with these values: ") + error.what();
  }
  if (sweep_.training && (!model || !learns(*model)))
    return "it has nothing to train; name a network of layers or a user's own model, and its engine";
  if (is_loop_of_one(sweep_, parameters, model))
    return "ranks above 1 of a loop: its environment has to say how they start, by \"launch\": \"torchrun\" or "
           "\"env\"";
  if (launch_of_loop(sweep_, parameters) == Launch::once)
    return skip_reason(parameters, model ? &*model : nullptr, sweep_.task);
  Parameters of_rank = parameters;  // the loop's own affair
  of_rank.set(Param::ranks, std::int64_t{1});
  return skip_reason(of_rank, model ? &*model : nullptr, sweep_.task);
}

}  // namespace regatta::sweep
