#include "sweep/read/levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>
#include <utility>

#include "regatta/base/suggestion.hpp"
#include "regatta/base/units.hpp"
#include "regatta/json/text.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/sweep/engines.hpp"
#include "regatta/sweep/reader.hpp"
#include "sweep/read/own_axes.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

using LevelNames = std::vector<std::string>;

bool contains(const LevelNames& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <class Map>
LevelNames keys_of(const Map& map) {
  LevelNames names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

std::optional<json::Problem> unless_among(const LevelNames& known, const std::string& text,
                                          const std::string& expected) {
  if (contains(known, text)) return std::nullopt;
  return json::Problem{{}, expected, nearest_name(text, known)};
}

std::optional<json::Problem> model_problem(const Sweep& sweep, const std::string& text) {
  LevelNames known = model::model_names();
  for (const std::string& name : keys_of(sweep.models)) known.push_back(name);
  return unless_among(known, text, fmt::format("a model written out, or {}", json::one_of(known)));
}

std::optional<json::Problem> command_problem(const Sweep& sweep, const std::string& text) {
  const LevelNames known = keys_of(sweep.commands);
  if (known.empty()) return json::Problem{{}, "an entry of \"commands\", which this sweep does not have", {}};
  return unless_among(known, text, fmt::format("an entry of \"commands\" ({})", json::one_of(known)));
}

std::optional<json::Problem> dataset_problem(const Sweep& sweep, const std::string& text) {
  const auto& rows = info(Param::dataset).levels;
  LevelNames known(rows.begin(), rows.end());
  for (const std::string& name : keys_of(sweep.datasets)) known.push_back(name);
  const char* const or_own = sweep.datasets.empty() ? "an entry of \"datasets\", or " : "";
  return unless_among(known, text, or_own + json::one_of(known));
}

constexpr const char* environment_places =
    "declared in \"environments\" or in the --environments file, or installed in the user's cache folder";

/// The engine of an environment, in the order in which the launcher looks for it; "" if any Python engine may be in it.
std::optional<std::string> engine_of(const Sweep& sweep, const std::string& environment) {
  const auto outside = sweep.outside.declared.find(environment);
  if (outside != sweep.outside.declared.end()) return outside->second;
  const auto own = sweep.environments.find(environment);
  if (own != sweep.environments.end()) return own->second.engine;
  if (sweep.outside.installed.contains(environment)) return std::string();
  // Its trials are skipped where it is not installed, with the command that installs it.
  if (sweep.outside.locked.contains(environment)) return environment.substr(0, environment.find('-'));
  return std::nullopt;
}

bool has_engine(const std::string& of_environment, const std::string& engine) {
  return of_environment.empty() ? has_worker(engine, WorkerKind::python) : of_environment == engine;
}

/// Every environment that has this engine.
LevelNames environments_of(const Sweep& sweep, const std::string& engine) {
  LevelNames all = keys_of(sweep.outside.declared);
  for (const std::string& name : keys_of(sweep.environments)) all.push_back(name);
  all.insert(all.end(), sweep.outside.installed.begin(), sweep.outside.installed.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::erase_if(all, [&](const std::string& name) { return !has_engine(*engine_of(sweep, name), engine); });
  return all;
}

std::optional<json::Problem> environment_problem(const Sweep& sweep, const std::string& engine,
                                                 const std::string& environment) {
  if (sweep.outside.any) return std::nullopt;
  const auto found = engine_of(sweep, environment);
  if (found && has_engine(*found, engine)) return std::nullopt;
  const std::string wanted = fmt::format("an environment of the engine {}", engine);
  if (found) {
    const std::string is = found->empty() ? "a Python installation" : "one of " + *found;
    return json::Problem{{}, fmt::format("{} ({} is {})", wanted, environment, is), {}};
  }
  const LevelNames known = environments_of(sweep, engine);
  const std::string near = nearest_name(environment, known);
  const std::string which = known.empty() ? "there is none" : "known: " + json::one_of(known);
  return json::Problem{{},
                       fmt::format("{} that is {} ({})", wanted, environment_places, which),
                       near.empty() ? near : engine + "@" + near};
}

std::optional<json::Problem> engine_problem(const Sweep& sweep, const std::string& text) {
  // A level that the axis names with a `?`, and that was not found, may be excluded and asked for like any other.
  if (std::ranges::find(sweep.left_out, Value(text), &LeftOut::level) != sweep.left_out.end()) return std::nullopt;
  const EngineName name = split_engine(text);
  const std::string engine(name.engine);
  const auto& rows = info(Param::engine).levels;
  const LevelNames engines(rows.begin(), rows.end());
  if (!contains(engines, engine)) return json::Problem{{}, json::one_of(engines), nearest_name(engine, engines)};
  if (engine == text) return std::nullopt;
  return environment_problem(sweep, engine, std::string(name.environment));
}

/// Adds the known synonym of a level: it tells more than a similar spelling.
std::optional<json::Problem> with_synonym(const Param& param, const std::string& text,
                                          std::optional<json::Problem> problem) {
  const Synonym synonym = problem ? meant_level(param, text) : Synonym();
  if (synonym.meant.empty()) return problem;
  problem->suggestion = synonym.meant;
  if (!synonym.why.empty()) problem->expected += fmt::format(" ({})", synonym.why);
  return problem;
}

std::optional<json::Problem> text_problem(const Sweep& sweep, const ParamInfo& row, const std::string& text) {
  if (row.param == Param::engine) return engine_problem(sweep, text);
  if (row.param == Param::model) return model_problem(sweep, text);
  if (row.param == Param::command) return command_problem(sweep, text);
  if (row.param == Param::dataset) return dataset_problem(sweep, text);
  const LevelNames known(row.levels.begin(), row.levels.end());
  return unless_among(known, text, json::one_of(known));
}

}  // namespace

std::optional<json::Problem> digits_problem(const Param& param, std::string_view written) {
  if (!param.is_own() || param.kind() != Param::OwnKind::real) return std::nullopt;
  const std::string_view digits = written.substr(written.starts_with('-') ? 1 : 0);
  if (digits.empty() || !std::ranges::all_of(digits, json::is_digit)) return std::nullopt;
  const std::int64_t most = info(Param::own("n", Param::OwnKind::integer)).maximum;
  std::int64_t integer = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), integer);
  if (error == std::errc{} && integer <= most) return std::nullopt;
  return json::Problem{
      {},
      fmt::format("whole numbers from {} to {}, of which a double keeps all digits (or all levels in quotes: programs "
                  "get texts as they are written)",
                  -most, most),
      {}};
}

Value level_of_size(const Param& param, Value value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || !counts_bytes(info(param))) return value;
  const auto bytes = parse_size(*text);
  return bytes && std::in_range<std::int64_t>(*bytes) ? Value(static_cast<std::int64_t>(*bytes)) : value;
}

std::optional<json::Problem> level_problem(const Sweep& sweep, const Param& param, const Value& value) {
  if (param.is_own() && info(param).type == ParamType::text) {
    const auto* text = std::get_if<std::string>(&value);
    const bool is_flag = param.kind() == Param::OwnKind::flag;
    if (text != nullptr && !text->empty() && (!is_flag || *text == "true" || *text == "false")) return std::nullopt;
    return json::Problem{{}, is_flag ? "true or false" : "a text of at least one character", {}};
  }
  const ParamInfo& row = info(param);
  if (row.type == ParamType::integer) {
    const std::int64_t maximum = param == Param::repeat ? sweep.repeats - 1 : row.maximum;
    const auto* integer = std::get_if<std::int64_t>(&value);
    if (integer != nullptr && *integer >= row.minimum && *integer <= maximum) return std::nullopt;
    const char* const or_all = param == Param::threads && sweep.outside.cores ? " or \"all\"" : "";
    const char* const or_size = counts_bytes(row) ? ", or a size such as \"25MiB\"" : "";
    return json::Problem{{}, fmt::format("an integer from {} to {}{}{}", row.minimum, maximum, or_all, or_size), {}};
  }
  if (row.type == ParamType::real) {
    const auto* real = std::get_if<double>(&value);
    if (real != nullptr && *real >= row.least && *real <= row.most) return std::nullopt;
    return json::Problem{{}, fmt::format("a number from {} to {}", row.least, row.most), {}};
  }
  // A value of another type is told what texts there are, without a guess at which was meant.
  const auto* text = std::get_if<std::string>(&value);
  const std::string written = text != nullptr ? *text : std::string();
  auto problem = with_synonym(param, written, text_problem(sweep, row, written));
  if (problem && text == nullptr) problem->suggestion.clear();
  return problem;
}

namespace {

/// Where an axis of trainings belongs, and where a benchmark has such a thing.
std::string of_training(const ParamInfo& row) {
  std::string expected = "it in a sweep with \"task\": \"train\"";
  if (row.param == Param::learning_rate)
    expected +=
        " (a benchmark has that of its model. In a model of layers: \"optimizer\": {\"sgd\": {\"learning_rate\": "
        "0.1}}. In a model of yours: \"args\", or the optimizer that build returns)";
  return expected;
}

}  // namespace

std::optional<json::Problem> task_problem(const Sweep& sweep, const ParamInfo& row) {
  const bool trains = sweep.task == Task::train;
  if (row.in_task != (trains ? InTask::benchmark : InTask::train)) return std::nullopt;
  return json::Problem{fmt::format("the axis {}", json::quote(row.name)),
                       trains ? "an axis that training runs read" : of_training(row), ""};
}

Param need_param(const json::Place& place, std::string_view name, const Sweep& sweep) {
  if (const auto row = find_row(sweep, name)) return *row;
  if (const auto own = find_own(sweep, name)) return *own;
  const LevelNames known = param_names(sweep);
  std::string expected = json::one_of_nearest(name, known);
  if (!sweep.commands.empty()) expected += fmt::format(" (a command reads an axis of its own by {{NAME}} in \"argv\")");
  const Synonym synonym = meant_parameter(name);
  if (!synonym.why.empty()) expected += fmt::format(" ({})", synonym.why);
  json::refuse(place, {fmt::format("the unknown parameter {}", json::show(name)), expected,
                       synonym.meant.empty() ? nearest_name(name, known) : synonym.meant});
}

namespace {

/// An axis has levels of one kind wherever it is given some; whole numbers may stand among real ones.
Param::OwnKind kind_beside(const json::Place& place, const std::optional<Param>& known, Param::OwnKind kind) {
  using Kind = Param::OwnKind;
  const bool is_real = known && known->kind() == Kind::real && kind == Kind::integer;
  if (!known || known->kind() == kind || known->kind() == Kind::json || is_real) return known ? known->kind() : kind;
  constexpr const char* kinds[] = {"whole numbers", "real numbers", "texts", "true and false",
                                   "levels of several kinds"};
  const std::string had = kinds[static_cast<std::size_t>(known->kind())];
  json::refuse(place,
               {fmt::format("{} for the axis {}", kinds[static_cast<std::size_t>(kind)], json::quote(name_of(*known))),
                fmt::format("{}, as elsewhere in this sweep (levels of one kind)", had), ""});
}

}  // namespace

Param need_axis_param(const json::Place& place, std::string_view name, const Sweep& sweep,
                      const std::function<Param::OwnKind()>& own_kind) {
  if (!find_row(sweep, name) && may_be_own(sweep, name)) {
    refuse_taken_name(place, name);
    return Param::own(name, kind_beside(place, find_own(sweep, name), own_kind()));
  }
  const Param param = need_param(place, name, sweep);
  if (param == Param::repeat)
    json::refuse(place, {"the parameter \"repeat\"", "the key \"repeats\" of the sweep, which makes it", ""});
  return param;
}

std::vector<std::string> param_names() {
  LevelNames names;
  for (const ParamInfo& row : parameter_table()) names.emplace_back(row.name);
  return names;
}

std::vector<std::string> param_names(const Sweep& sweep) {
  LevelNames names = param_names();
  std::erase_if(names, [&](const std::string& name) { return sweep.own_rows.contains(name); });
  for (const Param& param : axis_params(sweep)) {
    if (param.is_own()) names.emplace_back(param.own_name());
  }
  return names;
}

std::optional<std::size_t> first_repeated(const std::vector<Value>& levels) {
  std::unordered_set<Value> seen;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (!seen.insert(levels[i]).second) return i;
  }
  return std::nullopt;
}

}  // namespace regatta::sweep
