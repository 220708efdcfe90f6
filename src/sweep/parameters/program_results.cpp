#include "regatta/sweep/program_results.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "regatta/base/error.hpp"
#include "regatta/json/document.hpp"
#include "regatta/json/text.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::sweep {
namespace {

[[noreturn]] void refuse_results(const std::string& what) { throw InputError("results of a program: " + what); }

std::string told_json(std::optional<double> value) {
  if (!value) return "null";
  if (std::isfinite(*value)) return json::json_number(*value);
  return std::isnan(*value) ? "\"nan\"" : *value > 0 ? "\"inf\"" : "\"-inf\"";
}

std::optional<double> told_value(const json::Node& node) {
  if (node.as<std::monostate>() != nullptr) return std::nullopt;
  if (const auto* integer = node.as<std::int64_t>()) return static_cast<double>(*integer);
  if (const auto* real = node.as<json::Real>()) return real->value;
  const auto* text = node.as<std::string>();
  if (text != nullptr && *text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text != nullptr && *text == "inf") return std::numeric_limits<double>::infinity();
  if (text != nullptr && *text == "-inf") return -std::numeric_limits<double>::infinity();
  refuse_results(fmt::format("found {}, expected a number, null, \"nan\", \"inf\" or \"-inf\"", json::describe(node)));
}

ProgramResult parse_told(const json::Member& member) {
  const json::Member* unit = json::find_member(member.node, "unit");
  const json::Member* values = json::find_member(member.node, "values");
  const auto* text = unit == nullptr ? nullptr : unit->node.as<std::string>();
  const auto* list = values == nullptr ? nullptr : values->node.as<json::Node::Array>();
  if (text == nullptr || list == nullptr)
    refuse_results(fmt::format("{} has no \"unit\" that is a text, or no list \"values\"", json::quote(member.key)));
  if (list->size() > most_result_runs) refuse_results(json::quote(member.key) + " has more values than are kept");
  ProgramResult result{*text, {}};
  for (const json::Node& value : *list) result.values.push_back(told_value(value));
  return result;
}

/// "NaN in 1", "infinite in 2", "missing in 3".
std::vector<std::string> oddities(const ProgramResult& result, std::size_t runs) {
  std::size_t nan = 0, infinite = 0, told = 0;
  for (const auto& value : result.values) {
    told += value ? 1 : 0;
    nan += value && std::isnan(*value) ? 1 : 0;
    infinite += value && std::isinf(*value) ? 1 : 0;
  }
  std::vector<std::string> texts;
  const auto add = [&](const char* word, std::size_t count) {
    if (count > 0) texts.push_back(fmt::format("{} in {} of {} runs", word, count, runs));
  };
  add("NaN", nan);
  add("infinite", infinite);
  add("missing", runs - told);
  return texts;
}

/// The text that is expected in place of a pattern. The library's own words are no help: "Number of NFA states exceeds
/// limit".
std::string pattern_problem(const std::regex_error& error) {
  namespace of = std::regex_constants;
  const std::pair<of::error_type, const char*> problems[] = {
      {of::error_space, "a shorter regular expression (a repetition such as {1000} counts a thousand times)"},
      {of::error_complexity, "a regular expression without back-references such as \\1"},
      {of::error_backref, "a regular expression without back-references such as \\1"},
      {of::error_brack, "a regular expression in which each [ has its ]"},
      {of::error_paren, "a regular expression in which each ( has its ), and each *, + and ? a character before it"},
      {of::error_badrepeat, "a regular expression in which each *, + and ? has a character before it"},
      {of::error_brace, "a regular expression in which each { has its }"},
      {of::error_badbrace, "a regular expression with numbers between { and }"},
      {of::error_range, "a regular expression in which ranges such as a-z begin with the lower end"},
      {of::error_escape, "a regular expression in which each \\ has a known character behind it"},
      {of::error_ctype, "a regular expression with known classes of characters, such as [[:digit:]]"},
      {of::error_collate, "a regular expression with known names of characters"}};
  for (const auto& [code, expected] : problems) {
    if (code == error.code()) return expected;
  }
  return "a regular expression";
}

std::string unit_text(const std::string& unit) { return unit.empty() ? "no unit" : json::show(unit); }

/// The number in this unit; NaN and infinity are the same in any.
double in_unit(const ToldNumber& told, const std::string& name, const std::string& unit) {
  if (!std::isfinite(told.value)) return told.value;
  if (const auto value = converted(told.value, told.unit, unit)) return *value;
  throw InputError(
      fmt::format("told '{}' in different units, {} and {}, and Regatta cannot convert one into the other; tell it in "
                  "one unit everywhere",
                  name, unit_text(unit), unit_text(told.unit)));
}

/// Whether another run than this told a number whose unit counts.
bool has_other_run(const ProgramResult& result, std::size_t run) {
  for (std::size_t at = 0; at < result.values.size(); ++at) {
    if (at != run && result.values[at] && std::isfinite(*result.values[at])) return true;
  }
  return false;
}

}  // namespace

bool are_comparable(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value) && value > 0; });
}

std::vector<double> comparable_values(const ProgramResults& results, const std::string& name) {
  const auto found = results.find(name);
  std::vector<double> values;
  if (found == results.end()) return values;
  for (const auto& value : found->second.values) values.push_back(value.value_or(0));
  return are_comparable(values) ? values : std::vector<double>();
}

bool are_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

std::vector<double> finite_values(const ProgramResults& results, const std::string& name) {
  const auto found = results.find(name);
  std::vector<double> values;
  if (found == results.end()) return values;
  for (const auto& value : found->second.values)
    values.push_back(value.value_or(std::numeric_limits<double>::quiet_NaN()));
  return are_finite(values) ? values : std::vector<double>();
}

void note(ProgramResults& results, std::size_t run, const std::string& name, const ToldNumber& told) {
  if (run >= most_result_runs) return;
  if (results.size() >= most_results && !results.contains(name)) return;
  ProgramResult& result = results[name];
  const bool has_unit = has_other_run(result, run);
  const double value = has_unit ? in_unit(told, name, result.unit) : told.value;
  if (!has_unit && (!told.unit.empty() || std::isfinite(told.value))) result.unit = told.unit;
  if (result.values.size() <= run) result.values.resize(run + 1);
  result.values[run] = value;
}

void convert_to(ProgramResult& result, const std::string& name, const std::string& unit) {
  for (auto& value : result.values) {
    if (value) value = in_unit({*value, result.unit}, name, unit);
  }
  result.unit = unit;
}

std::size_t runs_of(const ProgramResults& results) {
  std::size_t runs = 0;
  for (const auto& [name, result] : results) runs = std::max(runs, result.values.size());
  return runs;
}

void append(ProgramResults& results, const ProgramResults& more) {
  const std::size_t before = runs_of(results);
  for (const auto& [name, result] : more) {
    for (std::size_t run = 0; run < result.values.size(); ++run) {
      if (result.values[run]) note(results, before + run, name, {*result.values[run], result.unit});
    }
  }
}

std::string results_json(const ProgramResults& results) {
  if (results.empty()) return {};
  std::string text;
  for (const auto& [name, result] : results) {
    std::vector<std::string> values;
    for (const auto& value : result.values) values.push_back(told_json(value));
    text += fmt::format("{}{}:{{\"unit\":{},\"values\":[{}]}}", text.empty() ? "{" : ",", json::quote(name),
                        json::quote(result.unit), fmt::join(values, ","));
  }
  return text + "}";
}

ProgramResults parse_results(std::string_view text) {
  ProgramResults results;
  if (text.empty()) return results;
  const json::Node root = json::parse(text, "results of a program");
  const auto* object = root.as<json::Node::Object>();
  if (object == nullptr) refuse_results(fmt::format("found {}, expected an object", json::describe(root)));
  if (object->size() > most_results) refuse_results(fmt::format("more than {} names", most_results));
  for (const json::Member& member : *object) {
    if (!is_own_name(member.key)) refuse_results(json::quote(member.key) + " is no name of a result");
    results.emplace(member.key, parse_told(member));
  }
  return results;
}

std::string remarks_on(const ProgramResults& results) {
  const std::size_t runs = runs_of(results);
  std::vector<std::string> texts;
  for (const auto& [name, result] : results) {
    const auto odd = oddities(result, runs);
    if (!odd.empty()) texts.push_back(fmt::format("{} is {}", name, fmt::join(odd, ", ")));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::regex result_pattern(const std::string& pattern) {
  try {
    return std::regex(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
  } catch (const std::regex_error& error) {
    throw InputError(pattern_problem(error));
  }
}

}  // namespace regatta::sweep
