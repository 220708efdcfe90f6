#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <utility>
#include <vector>

#include "regatta/json/text.hpp"
#include "regatta/sweep/engines.hpp"
#include "regatta/sweep/parameters.hpp"
#include "regatta/sweep/reader.hpp"
#include "sweep/read/levels.hpp"
#include "sweep/read/ranges.hpp"
#include "sweep/read/read.hpp"
#include "sweep/read/sections.hpp"

namespace regatta::sweep {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;  ///< keys, and their values as JSON

std::string object(const Members& members) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : members) texts.push_back(json::quote(key) + ":" + value);
  return fmt::format("{{{}}}", fmt::join(texts, ","));
}

std::string array(const std::vector<std::string>& values) { return fmt::format("[{}]", fmt::join(values, ",")); }

std::string quoted(const std::vector<std::string>& words) {
  std::vector<std::string> texts;
  for (const std::string& name : words) texts.push_back(json::quote(name));
  return array(texts);
}

std::string any_of(const std::vector<std::string>& schemas) {
  return schemas.size() == 1 ? schemas.front() : object({{"anyOf", array(schemas)}});
}

std::string names(const std::vector<std::string>& texts) { return object({{"enum", quoted(texts)}}); }

std::string integer(std::int64_t minimum, std::int64_t maximum) {
  return object(
      {{"type", json::quote("integer")}, {"minimum", std::to_string(minimum)}, {"maximum", std::to_string(maximum)}});
}

std::string number(double minimum, double maximum) {
  return object({{"type", json::quote("number")},
                 {"minimum", json::json_number(minimum)},
                 {"maximum", json::json_number(maximum)}});
}

std::string list_of(const std::string& item) {
  return object({{"type", json::quote("array")}, {"minItems", "1"}, {"items", item}});
}

std::string one_or_list(const std::string& item) { return any_of({item, list_of(item)}); }

std::string text(const std::string& pattern = ".") {
  return object({{"type", json::quote("string")}, {"pattern", json::quote(pattern)}});
}

std::string definition(const std::string& name) { return object({{"$ref", json::quote("#/definitions/" + name)}}); }

/// An object with these keys only.
std::string record(const Members& properties, const std::vector<std::string>& required = {}) {
  Members members = {
      {"type", json::quote("object")}, {"additionalProperties", "false"}, {"properties", object(properties)}};
  if (!required.empty()) members.emplace_back("required", quoted(required));
  return object(members);
}

/// An object of any names, all with values of one kind.
std::string map_of(const std::string& value) {
  return object(
      {{"type", json::quote("object")}, {"propertyNames", definition("name")}, {"additionalProperties", value}});
}

constexpr const char* name_pattern = "^[A-Za-z0-9]((?!\\.\\.)[A-Za-z0-9._-]){0,99}$";
constexpr const char* duration_pattern = "^([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?(ns|us|ms|s|m|h)$";
constexpr const char* result_name_pattern = "^[A-Za-z][A-Za-z0-9_.-]*$";
constexpr const char* percent_pattern = "^([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?%$";
constexpr const char* size_pattern = "^([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?(B|KiB|MiB|GiB|TiB|KB|MB|GB)$";

std::string engine_pattern(const std::string& end) {
  return fmt::format("^({})(@[A-Za-z0-9][A-Za-z0-9._-]*)?{}$", fmt::join(info(Param::engine).levels, "|"), end);
}

/// Levels of a fixed set; one that is a number may be written as one.
std::string fixed_levels(const ParamInfo& row) {
  std::vector<std::string> levels;
  for (const std::string_view level : row.levels) levels.push_back(json::quote(level));
  for (const std::string_view level : row.levels) {
    if (level.find_first_not_of("0123456789") == std::string_view::npos) levels.emplace_back(level);
  }
  return object({{"enum", array(levels)}});
}

std::string level_schema(const ParamInfo& row) {
  if (row.param == Param::threads)
    return any_of({integer(row.minimum, row.maximum), names({std::string(all_threads)})});
  if (counts_bytes(row)) return any_of({integer(row.minimum, row.maximum), text(size_pattern)});
  if (row.type == ParamType::integer) return integer(row.minimum, row.maximum);
  if (row.type == ParamType::real) return number(row.least, row.most);
  if (row.param == Param::engine) return text(engine_pattern(""));
  if (row.param == Param::dataset) return text();  // also an entry of "datasets"
  return row.levels.empty() ? text() : fixed_levels(row);
}

/// The schema of an item in the levels of an axis.
std::string item_schema(const ParamInfo& row) {
  const std::string level = definition("level-" + std::string(row.name));
  if (row.type == ParamType::integer) return any_of({level, definition("range")});
  if (row.type == ParamType::real) return any_of({level, definition("real-range")});
  if (row.param == Param::engine) return text(engine_pattern("\\??"));
  return row.param == Param::model ? any_of({level, definition("model")}) : level;
}

std::string choice_of(const std::string& item) { return record({{"choice", list_of(item)}}, {"choice"}); }

std::string axis_schema(const ParamInfo& row) {
  const std::string item = item_schema(row);
  std::vector<std::string> kinds = {item, list_of(item), choice_of(item)};
  if (row.type == ParamType::integer) kinds.push_back(definition("random"));
  if (row.type == ParamType::real) kinds.push_back(definition("random-real"));
  return any_of(kinds);
}

/// Levels of an axis that a sweep makes itself, but lists: alone in an axis they are its levels.
std::vector<std::string> own_levels() {
  const std::string object_of_a_level =
      object({{"type", json::quote("object")},
              {"propertyNames", text("^(?!(linear|geometric|uniform|log_uniform|choice)$)")}});
  return {R"({"type":"number"})", text(), R"({"type":"boolean"})", R"({"const":null})", object_of_a_level};
}

std::string own_level_schema() {
  std::vector<std::string> levels = own_levels();
  levels.emplace_back(R"({"type":"array"})");
  return any_of(levels);
}

std::string own_axis_schema() {
  std::vector<std::string> kinds = own_levels();
  for (const char* const kind : {"range", "real-range", "random", "random-real"}) kinds.push_back(definition(kind));
  const std::string item = any_of({definition("own-level"), definition("range"), definition("real-range")});
  kinds.push_back(list_of(item));
  kinds.push_back(choice_of(item));
  return any_of(kinds);
}

std::string own_level() { return definition("own-level"); }
std::string own_axis() { return definition("own-axis"); }

/// Beside the levels of a parameter those that a program's own axis of this name may have.
std::string or_own(const ParamInfo& row, const std::string& levels) {
  return may_be_axis_of_program(row.name) ? any_of({levels, own_level()}) : levels;
}

/// `own`: of the sweep's own axes.
std::string by_param(const std::function<std::string(const ParamInfo&)>& schema_of, bool with_repeat,
                     const std::string& own) {
  Members properties;
  for (const ParamInfo& row : parameter_table()) {
    if (row.param != Param::repeat || with_repeat) properties.emplace_back(row.name, schema_of(row));
  }
  Members members = {{"type", json::quote("object")},
                     {"minProperties", "1"},
                     {"additionalProperties", own},
                     {"properties", object(properties)}};
  if (!with_repeat) members.emplace_back("propertyNames", text("^(?!repeat$)"));
  return object(members);
}

constexpr const char* integer_step = R"({"type":"integer","minimum":1})";
constexpr const char* real_step = R"({"type":"number","exclusiveMinimum":0})";

std::string range_schema() {
  const std::string ends = definition("ends");
  const std::string count = integer(2, max_levels);
  const std::string factor = object({{"type", json::quote("number")}, {"minimum", "1.01"}, {"maximum", "1000000"}});
  return any_of({record({{"linear", ends}, {"step", integer_step}}, {"linear"}),
                 record({{"linear", ends}, {"count", count}}, {"linear", "count"}),
                 record({{"geometric", ends}, {"factor", factor}}, {"geometric"}),
                 record({{"geometric", ends}, {"count", count}}, {"geometric", "count"})});
}

/// `step`: the type of a step between levels.
std::string random_schema(const char* ends, const std::string& step) {
  return any_of({record({{"uniform", definition(ends)}, {"step", step}}, {"uniform"}),
                 record({{"log_uniform", definition(ends)}}, {"log_uniform"})});
}

std::string real_range_schema() {
  const std::string ends = definition("real-ends");
  const std::string count = integer(2, max_levels);
  return any_of({record({{"linear", ends}, {"step", real_step}}, {"linear", "step"}),
                 record({{"linear", ends}, {"count", count}}, {"linear", "count"}),
                 record({{"geometric", ends}, {"count", count}}, {"geometric", "count"})});
}

/// Two of them.
std::string ends_of(const char* item) {
  return object({{"type", json::quote("array")}, {"minItems", "2"}, {"maxItems", "2"}, {"items", item}});
}

std::string model_schema() {
  const std::string size = object({{"type", json::quote("integer")}, {"minimum", "1"}});
  const std::string any_object = object({{"type", json::quote("object")}});
  const std::string name = definition("name");
  return any_of({record({{"name", name},
                         {"input", list_of(size)},
                         {"layers", list_of(any_object)},
                         {"loss", names({"mse", "binary_crossentropy", "sparse_categorical_crossentropy"})},
                         {"optimizer", any_object}},
                        {"name", "input", "layers", "loss", "optimizer"}),
                 record({{"name", name}, {"matmul", size}}, {"name", "matmul"}),
                 record({{"name", name}, {"scalar_gradient", R"({"const":true})"}}, {"name", "scalar_gradient"}),
                 record({{"name", name}, {"noop", R"({"const":true})"}}, {"name", "noop"}),
                 record({{"name", name},
                         {"python", text()},
                         {"batch", text()},
                         {"reads_batch", R"({"type":"boolean"})"},
                         {"args", any_object},
                         {"sources", any_object}},
                        {"python"})});
}

/// A parameter, or an axis of the sweep's own.
std::string axis_name() { return any_of({names(param_names()), text(result_name_pattern)}); }

std::string compare_schema() {
  const auto level = [](const ParamInfo& row) { return or_own(row, definition("level-" + std::string(row.name))); };
  const std::string baseline = by_param(level, true, own_level());
  const std::string no_axes = object({{"type", json::quote("array")}, {"maxItems", "0"}});
  return record({{"over", one_or_list(axis_name())},
                 {"baseline", baseline},
                 {"pairs", names({"baseline", "all", "one-factor"})},
                 {"replicates", any_of({axis_name(), list_of(axis_name()), no_axes})}},
                {"over"});
}

std::vector<std::string> metric_names() {
  std::vector<std::string> all;
  for (const MetricInfo& metric : metric_table) {
    if (metric.metric != Metric::result) all.emplace_back(metric.name);  // it goes with a name
  }
  return all;
}

std::string metric_schema() {
  const std::string goal = names({std::string(name_of(Better::lower)), std::string(name_of(Better::higher))});
  const std::string margin = any_of({text(percent_pattern), number(0, 1e9)});
  return any_of({names(metric_names()),
                 record({{"result", text(result_name_pattern)}, {"goal", goal}, {"margin", margin}}, {"result"})});
}

std::string measure_schema() {
  const std::string duration = text(duration_pattern);
  const std::string percent = text(percent_pattern);
  return record({{"margin", percent},
                 {"half_width", percent},
                 {"relative_half_width", percent},
                 {"per_contrast", duration},
                 {"total", duration},
                 {"metric", metric_schema()},
                 {"n", integer(1, 1'000'000'000'000)},
                 {"slices", integer(1, 1'000'000)},
                 {"steps", integer(1, 1'000'000'000)},
                 {"explain", R"({"type":"boolean"})"},
                 {"again", R"({"type":"boolean"})"},
                 {"same_work", record({{"gradient", number(0, 1)}, {"loss", number(0, 1)}})}});
}

std::string limits_schema() {
  return record({{"trial_timeout", text(duration_pattern)},
                 {"attempts", integer(1, 100)},
                 {"memory", text(size_pattern)},
                 {"failures", integer(1, most_failures)},
                 {"retry_timeouts", R"({"type":"boolean"})"}});
}

std::string train_schema() {
  const std::string early_stop = record({{"patience", integer(1, most_evaluations)}, {"min_delta", number(0, 1e9)}});
  return record({{"epochs", number(least_epochs, most_epochs)},
                 {"steps", integer(1, most_train_steps)},
                 {"evaluations", integer(1, most_evaluations)},
                 {"validation", number(0, most_validation)},
                 {"seeds", integer(1, most_seeds)},
                 {"early_stop", early_stop},
                 {"keep_weights", R"({"type":"boolean"})"},
                 {"repeat", R"({"type":"boolean"})"},
                 {"process", names({"fresh", "kept"})}});
}

std::string objective_schema() {
  const std::string margin = any_of({number(0, 1e9), text("^([0-9]+(\\.[0-9]*)?|\\.[0-9]+) points?$")});
  return record({{"metric", text()},
                 {"goal", names({"maximize", "minimize"})},
                 {"margin", margin},
                 {"target", number(-1e9, 1e9)}},
                {"metric"});
}

std::string search_schema() {
  return record({{"kind", names({"halving", "full"})},
                 {"rungs", integer(1, most_rungs)},
                 {"factor", number(least_factor, most_factor)},
                 {"at_most", integer(1, most_finalists)}},
                {"kind"});
}

std::string environment_schema() {
  std::vector<std::string> engines;
  for (const EngineInfo& engine : engine_table()) {
    if (engine.worker != WorkerKind::program) engines.emplace_back(engine.name);
  }
  const std::string variables =
      object({{"type", json::quote("object")}, {"additionalProperties", R"({"type":"string"})"}});
  return record({{"engine", names(engines)},
                 {"python", text()},
                 {"program", list_of(text())},
                 {"env", variables},
                 {"launch", names({"env", "torchrun"})}},
                {"engine"});
}

/// Axes of a sweep whose one engine is command: names of parameters that its programs read are theirs.
std::string axes_of_programs() {
  const auto axis = [](const ParamInfo& row) {
    if (row.param == Param::engine) return one_or_list(names({"command", "command?"}));
    return may_be_axis_of_program(row.name) ? own_axis() : axis_schema(row);
  };
  const std::string axes = by_param(axis, false, own_axis());
  return "{\"required\":[\"engine\"]," + axes.substr(1);
}

/// Results by name, or where each of them stands.
std::string results_schema() {
  const std::string source =
      record({{"pattern", text()}, {"file", text()}, {"column", text()}, {"key", text()}, {"unit", text()}});
  return any_of({list_of(text(result_name_pattern)), object({{"type", json::quote("object")},
                                                             {"minProperties", "1"},
                                                             {"propertyNames", text(result_name_pattern)},
                                                             {"additionalProperties", source}})});
}

std::string definitions() {
  Members members = {{"name", text(name_pattern)},
                     {"ends", ends_of(R"({"type":"integer"})")},
                     {"range", range_schema()},
                     {"random", random_schema("ends", integer_step)},
                     {"real-ends", ends_of(R"({"type":"number"})")},
                     {"real-range", real_range_schema()},
                     {"random-real", random_schema("real-ends", real_step)},
                     {"own-level", own_level_schema()},
                     {"own-axis", own_axis_schema()},
                     {"model", model_schema()}};
  for (const ParamInfo& row : parameter_table())
    members.emplace_back("level-" + std::string(row.name), level_schema(row));
  const auto condition = [](const ParamInfo& row) {
    return or_own(row, one_or_list(definition("level-" + std::string(row.name))));
  };
  const auto axis_beside = [](const ParamInfo& row) { return or_own(row, one_or_list(item_schema(row))); };
  members.emplace_back("condition", by_param(condition, true, one_or_list(own_level())));
  members.emplace_back("own-axes", by_param(axis_beside, false, own_axis()));
  const auto axis_under_condition = [](const ParamInfo& row) { return or_own(row, axis_schema(row)); };
  members.emplace_back("when-axes", by_param(axis_under_condition, false, own_axis()));
  members.emplace_back("axes", by_param(axis_schema, false, own_axis()));
  members.emplace_back("axes-of-programs", axes_of_programs());
  return object(members);
}

std::string section(const std::string& key) {
  if (key == "regatta") return R"({"const":1})";
  if (key == "name") return definition("name");
  if (key == "task") return names({"benchmark", "train"});
  if (key == "axes") return any_of({definition("axes"), definition("axes-of-programs")});
  if (key == "zip") return any_of({list_of(axis_name()), list_of(list_of(axis_name()))});
  if (key == "samples") return integer(1, max_levels);
  if (key == "sample_seed") return integer(0, info(Param::seed).maximum);
  if (key == "when")
    return list_of(record({{"if", definition("condition")}, {"axes", definition("when-axes")}}, {"if", "axes"}));
  if (key == "include") return list_of(definition("own-axes"));
  if (key == "exclude") return list_of(definition("condition"));
  if (key == "repeats") return integer(1, info(Param::repeat).maximum + 1);
  if (key == "compare") return compare_schema();
  if (key == "measure") return measure_schema();
  if (key == "limits") return limits_schema();
  if (key == "train") return train_schema();
  if (key == "objective") return objective_schema();
  if (key == "search") return search_schema();
  if (key == "environments") return map_of(environment_schema());
  if (key == "datasets")
    return map_of(record({{"data", text()},
                          {"labels", text()},
                          {"label_column", text()},
                          {"scale", R"({"type":"number"})"},
                          {"shift", R"({"type":"number"})"},
                          {"delimiter", names({",", ";", "\t", "|", ":", " "})},
                          {"header", R"({"type":"boolean"})"},
                          {"decimal", names({".", ","})},
                          {"missing", list_of(text(""))},
                          {"columns", list_of(text(""))},
                          {"drop", list_of(text(""))},
                          {"categories", list_of(text(""))},
                          {"test", text()},
                          {"test_labels", text()},
                          {"validation", text()},
                          {"validation_labels", text()},
                          {"split", record({{"test", number(0.001, 0.999)},
                                            {"stratified", R"({"type":"boolean"})"},
                                            {"order", names({"shuffled", "time"})},
                                            {"group_column", text()}},
                                           {})}},
                         {"data"}));
  return map_of(record({{"argv", list_of(text())},
                        {"metric", text("^json:.")},
                        {"inputs", list_of(text())},
                        {"reads", list_of(text())},
                        {"results", results_schema()},
                        {"folder", R"({"enum":["kept","removed"]})"},
                        {"output", R"({"enum":["tail","kept","none"]})"},
                        {"launch", R"({"enum":["once","env","torchrun","mpirun","srun"]})"}},
                       {"argv"}));  // commands
}

/// Each member and element of JSON without white space on a line of its own.
std::string indented(const std::string& json) {
  std::string out;
  std::size_t depth = 0;
  bool is_text = false;
  const auto new_line = [&] { out += '\n' + std::string(2 * depth, ' '); };
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"' && (i == 0 || json[i - 1] != '\\')) is_text = !is_text;
    const bool closes = !is_text && (c == '}' || c == ']');
    if (closes) {
      --depth;
      if (json[i - 1] != '{' && json[i - 1] != '[') new_line();
    }
    out += c;
    if (is_text || closes) continue;
    if (c == ':') out += ' ';
    if (c == '{' || c == '[') {
      ++depth;
      if (json[i + 1] != '}' && json[i + 1] != ']') new_line();
    }
    if (c == ',') new_line();
  }
  return out + "\n";
}

}  // namespace

std::string sweep_schema() {
  Members properties;
  for (const std::string& key : sweep_keys()) properties.emplace_back(key, section(key));
  return indented(object({{"$schema", json::quote("http://json-schema.org/draft-07/schema#")},
                          {"title", json::quote("Regatta sweep file")},
                          {"type", json::quote("object")},
                          {"required", quoted({"regatta", "name", "axes"})},
                          {"additionalProperties", "false"},
                          {"properties", object(properties)},
                          {"definitions", definitions()}}));
}

}  // namespace regatta::sweep
