#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/base/suggestion.hpp"
#include "regatta/json/text.hpp"
#include "regatta/model/user_model.hpp"
#include "sweep/read/levels.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

constexpr double largest_number = 1e9;
constexpr double per_point = 0.01;

EarlyStop read_early_stop(const json::Cursor& cursor) {
  const json::Fields fields(cursor, "an object", {"patience", "min_delta"});
  EarlyStop stop;
  if (const auto patience = fields.find("patience")) stop.patience = patience->integer(1, most_evaluations);
  if (const auto delta = fields.find("min_delta")) stop.min_delta = delta->number(0, largest_number);
  return stop;
}

Training read_train(const json::Cursor& cursor) {
  const json::Fields fields(
      cursor, "an object",
      {"epochs", "steps", "evaluations", "validation", "seeds", "early_stop", "keep_weights", "repeat", "process"});
  Training training;
  const auto epochs = fields.find("epochs");
  const auto steps = fields.find("steps");
  if (epochs && steps) steps->refuse("only one of \"epochs\" and \"steps\"");
  if (!epochs && !steps) cursor.refuse("the key \"epochs\" or \"steps\", how long a run is");
  if (epochs) training.epochs = epochs->number(least_epochs, most_epochs);
  if (steps) training.steps = steps->integer(1, most_train_steps);
  if (const auto value = fields.find("evaluations")) training.evaluations = value->integer(1, most_evaluations);
  if (const auto value = fields.find("validation")) training.validation = value->number(0, most_validation);
  if (const auto value = fields.find("seeds")) training.seeds = value->integer(1, most_seeds);
  if (const auto value = fields.find("early_stop")) training.early_stop = read_early_stop(*value);
  if (const auto value = fields.find("keep_weights")) training.keep_weights = value->boolean();
  if (const auto value = fields.find("repeat")) training.repeat = value->boolean();
  if (const auto value = fields.find("process")) training.keeps_processes = value->choice({"fresh", "kept"}) == "kept";
  return training;
}

bool falls(std::string_view metric) { return metric.find("loss") != std::string_view::npos; }

/// 0.01, or "1 point" of an accuracy.
double read_margin(const json::Cursor& cursor, const std::string& metric) {
  const auto* text = cursor.node.as<std::string>();
  if (text == nullptr) return cursor.number(0, largest_number);
  const std::string_view all = *text;
  double points = 0;
  const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), points);
  const std::string_view unit = all.substr(static_cast<std::size_t>(end - all.data()));
  if (error != std::errc{} || points < 0 || (unit != " point" && unit != " points"))
    cursor.refuse("a number in the metric's own unit such as 0.01, or \"1 point\" of an accuracy");
  if (falls(metric))
    cursor.refuse(fmt::format("a number in the unit of {}, such as 0.01 (points are of accuracies)", metric));
  return points * per_point;
}

/// Keras and Lightning say "val_" for "validation_".
std::string full_name(const std::string& metric) {
  constexpr std::string_view brief = "val_";
  if (metric == "val_acc") return validation_accuracy;
  return metric.starts_with(brief) ? "validation_" + metric.substr(brief.size()) : metric;
}

Objective read_objective(const json::Cursor& cursor) {
  const json::Fields fields(cursor, "an object", {"metric", "goal", "margin", "target"});
  Objective objective;
  const auto metric = fields.need("metric", "the quantity to optimize, such as \"validation_accuracy\"");
  objective.metric = full_name(metric.text("the name of a metric"));
  for (const char* const of_test : {test_loss, test_accuracy}) {
    if (objective.metric == of_test)
      metric.refuse("a metric of the validation part (what is chosen by the test part is not tested by it)",
                    falls(of_test) ? validation_loss : validation_accuracy);
  }
  objective.maximizes = !falls(objective.metric);
  if (const auto goal = fields.find("goal")) objective.maximizes = goal->choice({"maximize", "minimize"}) == "maximize";
  if (const auto margin = fields.find("margin")) objective.margin = read_margin(*margin, objective.metric);
  if (const auto target = fields.find("target")) {
    const bool is_accuracy = objective.metric == validation_accuracy;
    objective.target = target->number(is_accuracy ? 0 : -largest_number, is_accuracy ? 1 : largest_number);
  }
  return objective;
}

Search read_search(const json::Cursor& cursor) {
  const json::Fields fields(cursor, "an object", {"kind", "rungs", "factor", "at_most"});
  Search search;
  search.halves = fields.need("kind", "\"halving\" or \"full\"").choice({"halving", "full"}) == "halving";
  if (const auto value = fields.find("rungs")) search.rungs = value->integer(1, most_rungs);
  if (const auto value = fields.find("factor")) search.factor = value->number(least_factor, most_factor);
  if (const auto value = fields.find("at_most")) search.at_most = value->integer(1, most_finalists);
  for (const char* const key : {"rungs", "factor"}) {
    const auto value = fields.find(key);
    if (value && !search.halves)
      value->refuse(fmt::format("no {} in a search that trains all to the end", json::quote(key)));
  }
  if (!search.halves) search.rungs = 1;
  return search;
}

void refuse_key(const json::Fields& fields, const char* key, const std::string& why) {
  if (const auto found = fields.find(key))
    json::refuse(found->place, {fmt::format("the key {}", json::quote(key)), why, ""});
}

/// A loop of the user's own, or another program that trains, has the metrics that it reports.
bool has_metrics_of_its_own(const Sweep& sweep) {
  const auto is_loop = [](const auto& model) {
    const auto* user = std::get_if<model::UserModel>(&model.second);
    return user != nullptr && model::is_loop(*user);
  };
  return std::ranges::any_of(sweep.models, is_loop) ||
         std::ranges::any_of(sweep.environments, [](const auto& each) { return !each.second.program.empty(); });
}

void check_metric(const json::Fields& fields, const Sweep& sweep) {
  const auto objective = fields.find("objective");
  const std::vector<std::string> known{validation_accuracy, validation_loss, train_loss};
  if (!objective || has_metrics_of_its_own(sweep) || std::ranges::count(known, sweep.objective.metric) > 0) return;
  objective->member("metric")->refuse(json::one_of(known) + " (a training loop of your own has those that it reports)",
                                      nearest_name(sweep.objective.metric, known));
}

}  // namespace

void read_training(const json::Fields& fields, Sweep& sweep) {
  const auto task = fields.find("task");
  if (task && task->choice({"benchmark", "train"}) == "train") sweep.task = Task::train;
  if (sweep.task == Task::benchmark) {
    for (const char* const key : {"train", "objective", "search"})
      refuse_key(fields, key, "it beside \"task\": \"train\"");
    return;
  }
  sweep.training = read_train(fields.need("train", "an object that says how long a run is, such as {\"epochs\": 10}"));
  const auto search = fields.find("search");
  const auto objective = fields.find("objective");
  if (sweep.training->validation == 0) sweep.objective = {train_loss, false, Objective().margin};
  if (objective) sweep.objective = read_objective(*objective);
  if (sweep.training->validation == 0 && sweep.objective.metric.starts_with("validation"))
    objective->refuse("the metric \"train_loss\", as \"validation\" in \"train\" is 0");
  if (!search) return;
  if (!fields.find("objective"))
    search->refuse("it beside \"objective\", the quantity to optimize, such as {\"metric\": \"validation_accuracy\"}");
  if (sweep.training->validation == 0) search->refuse("a \"validation\" part above 0 in \"train\" (it chooses)");
  sweep.search = read_search(*search);
}

void check_task(const json::Fields& fields, const Sweep& sweep) {
  const bool trains = sweep.task == Task::train;
  if (trains) {
    refuse_key(fields, "measure", "none in a sweep that trains (\"train\" says how long)");
    refuse_key(fields, "repeats", "the key \"seeds\" in \"train\"");
    refuse_key(fields, "compare", "none in a sweep that trains (its configurations are compared by \"objective\")");
    check_metric(fields, sweep);
  }
  for (const ParamInfo& row : parameter_table()) {
    if (!has_axis(sweep, row.param)) continue;
    if (const auto problem = task_problem(sweep, row)) json::refuse(place_in(sweep, "/axes"), *problem);
  }
}

}  // namespace regatta::sweep
